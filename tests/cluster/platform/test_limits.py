"""What pods of a namespace are taken to ask for, and how many GPUs one may have."""

from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

POOLS = """
pools:
  - name: h100
    gpu: {model: H100-80GB, count: 8}
  - name: half
    gpu: {model: A100-80GB, count: 8}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}, gpus: 4}
"""


def test_requests_are_filled_in_and_no_limit(profile: MakeProfile) -> None:
    """C-39: a default limit of memory would stand below the request of who says no limit."""
    text = "namespaces: [{name: research, defaults: {cpu: 500m, memory: 1Gi}}]"
    _, made = namespace_objects(profile(text))
    assert made["kind"] == "LimitRange"
    assert made["metadata"] == {"name": "gpuspec", "namespace": "research"}
    assert made["spec"] == {
        "limits": [{"type": "Container", "defaultRequest": {"cpu": "500m", "memory": "1Gi"}}]
    }
    assert validate(made, "1.36") == ()


def test_one_policy_is_for_all_namespaces_with_a_label(profile: MakeProfile) -> None:
    """C-39: it counts what the pools advertise, by whatever name."""
    spaces = "namespaces: [{name: research, maxGpusPerPod: 4}, {name: dev, maxGpusPerPod: 0}, {name: free}]"
    *named, policy, binding = namespace_objects(profile(spaces + POOLS))
    labels = [made["metadata"]["labels"].get("gpuspec.dev/max-gpus-per-pod") for made in named]
    assert labels == ["4", "0", None]
    variables = {each["name"]: each["expression"] for each in policy["spec"]["variables"]}
    assert variables["names"] == "['nvidia.com/gpu', 'nvidia.com/mig-1g.10gb']"
    (key,) = binding["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert key == {"key": "gpuspec.dev/max-gpus-per-pod", "operator": "Exists"}
    for made in (policy, binding):
        assert validate(made, "1.33") == ()
