"""What a pod asks for against what a node has."""

import pytest

from tests.lint.placement.pods import context, findings, pod


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("requests: {cpu: 188}", None),
        ("requests: {cpu: 189}", "warning"),
        ("requests: {cpu: 191}", "error"),
        ("limits: {memory: 2Ti}", "error"),
        ("requests: {ephemeral-storage: 7Ti}", "error"),
    ],
)
def test_what_a_node_leaves_and_what_it_has(asked: str, said: str | None) -> None:
    """C-01: sure above what is allocatable, likely above what DaemonSets leave of it."""
    resources = asked.replace("}", ", nvidia.com/gpu: 1}")
    if resources.startswith("requests"):
        resources += ", limits: {nvidia.com/gpu: 1}"
    found = findings(pod(resources=resources), "GPU205", profile="h100")
    assert [one.severity for one in found] == ([said] if said else [])


def test_more_gpus_than_a_node_has() -> None:
    """C-02: a pod runs on one node."""
    text = pod(resources="limits: {nvidia.com/gpu: 16}")
    [found] = findings(text, "GPU205", profile="h100")
    assert found.severity == "error"
    assert not findings(text, "GPU205")
    assert findings(text.replace("16", "64"), "GPU205")
    shares = {"mode": "time-slicing", "replicas": 4, "rename": False}
    assert not findings(text, "GPU205", context=context(sharing=shares))


def test_a_sidecar_counts_and_an_init_container_overlaps() -> None:
    text = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  initContainers:
    - {name: first, image: a/b:1, POLICYresources: {requests: {cpu: 100}}}
  containers:
    - {name: main, image: a/b:1, resources: {requests: {cpu: 100}, limits: {nvidia.com/gpu: 1}}}
"""
    assert not findings(text.replace("POLICY", ""), "GPU205", profile="h100")
    assert findings(text.replace("POLICY", "restartPolicy: Always, "), "GPU205", profile="h100")


@pytest.mark.parametrize(
    ("device", "interfaces", "said"),
    [
        (
            "nvidia.com/mig-1g.10gb",
            1,
            ["but in profile `slices-beside-fabric` a node of pool `slices` has no"],
        ),
        ("nvidia.com/gpu", 1, []),
        ("nvidia.com/gpu", 9, ["a node of pool `whole` has 8 × `rdma/hca`"]),
    ],
)
def test_one_node_has_all_of_it(device: str, interfaces: int, said: list[str]) -> None:
    """A device of one pool and the fabric of another are never on one node."""
    text = pod(resources=f"limits: {{{device}: 1, rdma/hca: {interfaces}}}")
    found = findings(text, "GPU205", profile="slices-beside-fabric")
    assert len(found) == len(said)
    for one, part in zip(found, said, strict=True):
        assert part in one.message
        assert one.severity == "error"


def bound(key: str, value: str, limits: str, requests: str = "{}") -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: one}}
spec:
  nodeSelector: {{{key}: "{value}"}}
  containers:
    - {{name: main, image: a/b:1, resources: {{requests: {requests}, limits: {limits}}}}}
"""


TYPE = "node.kubernetes.io/instance-type"
FAMILY = "karpenter.k8s.aws/instance-family"


@pytest.mark.parametrize(
    ("key", "value", "limits", "severity"),
    [
        (TYPE, "g5.xlarge", "{nvidia.com/gpu: 4}", "warning"),
        (TYPE, "a2-highgpu-1g", "{nvidia.com/gpu: 2}", "warning"),
        (TYPE, "inf2.xlarge", "{aws.amazon.com/neuron: 2}", "warning"),
        (TYPE, "g5.xlarge", "{amd.com/gpu: 1}", "error"),
        (TYPE, "m5.xlarge", "{nvidia.com/gpu: 1}", "warning"),
        (TYPE, "Standard_D8s_v5", "{nvidia.com/gpu: 1}", "warning"),
        (FAMILY, "g4ad", "{nvidia.com/gpu: 1}", "error"),
        (FAMILY, "c7i", "{nvidia.com/gpu: 1}", "warning"),
        ("karpenter.k8s.aws/instance-gpu-count", "1", "{nvidia.com/gpu: 4}", "warning"),
        ("cloud.google.com/gke-accelerator-count", "2", "{nvidia.com/gpu: 4}", "warning"),
        (TYPE, "g5.xlarge", "{nvidia.com/gpu: 1, cpu: 5}", "error"),
        (TYPE, "g5.xlarge", "{nvidia.com/gpu: 1, memory: 17Gi}", "error"),
    ],
)
def test_machines_that_the_pod_names_have_less(
    key: str, value: str, limits: str, severity: str
) -> None:
    (found,) = findings(bound(key, value, limits), "GPU205")
    assert found.severity == severity


@pytest.mark.parametrize(
    ("key", "value", "limits"),
    [
        (TYPE, "g5.xlarge", "{nvidia.com/gpu: 1, cpu: 4}"),
        (TYPE, "g5.48xlarge", "{nvidia.com/gpu: 8}"),
        # A part of a GPU is one device.
        (TYPE, "g6f.xlarge", "{nvidia.com/gpu: 1}"),
        (FAMILY, "g5", "{nvidia.com/gpu: 8}"),
        # As many as their owner attaches.
        (TYPE, "n1-standard-8", "{nvidia.com/gpu: 4}"),
        (TYPE, "g9.xlarge", "{nvidia.com/gpu: 4}"),
        (TYPE, "dl1.24xlarge", "{habana.ai/gaudi: 8}"),
        (TYPE, "g5.xlarge", "{nvidia.com/mig-1g.10gb: 4}"),
        (TYPE, "g5.xlarge", "{nvidia.com/gpu.shared: 4}"),
        ("nvidia.com/gpu.count", "some", "{nvidia.com/gpu: 4}"),
        ("karpenter.k8s.aws/instance-gpu-count", "1", "{amd.com/gpu: 4}"),
    ],
)
def test_machines_that_have_it_or_are_not_known(key: str, value: str, limits: str) -> None:
    assert findings(bound(key, value, limits), "GPU205") == []
