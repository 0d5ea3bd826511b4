"""How devices are requested (GPU1xx): what the pages do not show."""

import pytest

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: research{annotations}}}
spec:
  containers:
    - name: main
      image: {image}
      resources: {resources}
"""


def findings(text: str, *codes: str, profile: str | None = None) -> list[Finding]:
    """What the rules of these codes say."""
    found = [one.finding() for one in raised(text, profile)]
    return [one for one in found if one.rule.startswith(codes)]


def pod(resources: str, image: str = "ghcr.io/example/train:1.0", annotations: str = "") -> str:
    """A pod with one container."""
    return POD.format(resources=resources, image=image, annotations=annotations)


@pytest.mark.parametrize(
    "count", ["1", '"1"', "1000m", "3000m", "3Ki", "1e0", "0x1", "two", "[1]", "{a: 1}", "true"]
)
def test_whole_numbers_in_any_spelling_and_what_is_no_number(count: str) -> None:
    """C-04: quantities are normalised before they are judged; wrong types are the schema's."""
    assert not findings(pod(f"{{limits: {{nvidia.com/gpu: {count}}}}}"), "GPU101")


@pytest.mark.parametrize("count", ["0.5", "1500m", '"0.25"', "-1"])
def test_what_is_no_whole_number(count: str) -> None:
    """C-04"""
    [found] = findings(pod(f"{{limits: {{nvidia.com/gpu: {count}}}}}"), "GPU101")
    assert found.severity == "error"
    assert found.path == 'spec.containers[0].resources.limits["nvidia.com/gpu"]'


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nvidia.com.gpu", "nvidia.com/gpu"),
        ("nvidia/gpu", "nvidia.com/gpu"),
        ("nvidia.com/gpus", "nvidia.com/gpu"),
        ("nvidia.com/GPU", "nvidia.com/gpu"),
        ("nvida.com/gpu", "nvidia.com/gpu"),
        ("nvidia.com/gup", "nvidia.com/gpu"),
        ("nvidia.com/gpu-shared", "nvidia.com/gpu.shared"),
        ("alpha.kubernetes.io/nvidia-gpu", "nvidia.com/gpu"),
        ("amd.com/gpus", "amd.com/gpu"),
        ("amd/gpu", "amd.com/gpu"),
        ("habana.com/gaudi", "habana.ai/gaudi"),
        ("gpus", "nvidia.com/gpu"),
        ("cpus", "cpu"),
    ],
)
def test_what_a_wrong_name_stands_for(name: str, meant: str) -> None:
    [found] = findings(pod(f'{{limits: {{"{name}": 1}}}}'), "GPU103")
    assert f"did you mean `{meant}`?" in found.message
    domain = name.rpartition("/")[0]
    is_refused = not domain or domain.endswith("kubernetes.io")
    assert found.severity == ("error" if is_refused else "warning")


@pytest.mark.parametrize(
    ("name", "level"), [("nvidia.com/gpus", "error"), ("amd.com/gpus", "warning")]
)
def test_a_profile_tells_which_devices_there_are(name: str, level: str) -> None:
    [found] = findings(pod(f'{{limits: {{"{name}": 1}}}}'), "GPU103", profile="h100")
    assert found.severity == level


@pytest.mark.parametrize(
    "name",
    [
        "nvidia.com/rdma-vf",
        "nvidia.com/gpumem",
        "nvidia.com/hostdev_a",
        "gpu.intel.com/memory.max",
        "gpu.intel.com/millicores",
        "nvidia.com/pgpu",
        "nvidia.com/mig-1g.10gb",
        "amd.com/cpx_nps4",
        "rdma/hca_shared_devices_a",
        "vpc.amazonaws.com/efa",
        "example.com/fpga",
        "hugepages-2Mi",
        "ephemeral-storage",
        "$GPU_RESOURCE",
    ],
)
def test_names_that_are_right_or_not_ours_to_judge(name: str) -> None:
    assert not findings(pod(f'{{limits: {{"{name}": 1}}}}'), "GPU103")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nvidia.com/gpu-memory", "not their memory"),
        ("nvidia.com/gpu_memory", "not their memory"),
        ("nvidia.com/gpu.memory", "is a node label, not a resource"),
        ("nvidia.com/gpu.product", "is a node label, not a resource"),
    ],
)
def test_a_name_of_a_makers_domain_that_nothing_advertises(name: str, why: str) -> None:
    text = pod(f'{{limits: {{nvidia.com/gpu: 1, "{name}": 20}}}}')
    [found] = findings(text, "GPU103")
    assert why in found.message
    assert found.severity == "warning"
    assert found.fix is None
    config = f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{a: '{name}'}}\n"
    assert not findings(f"{text}\n{config}", "GPU103")
    scheduled = text.replace("spec:", "spec:\n  schedulerName: hami-scheduler", 1)
    assert scheduled != text
    assert not findings(scheduled, "GPU103")


def test_a_name_of_ones_own_without_a_domain_is_refused() -> None:
    [found] = findings(pod("{limits: {fpga: 1}}"), "GPU103")
    assert "is not a Kubernetes resource" in found.message
    assert found.fix is None


@pytest.mark.parametrize(
    "count", ["null", '""', "$GPU_PER_NODE", '"${GPUS}"', '"{{ .Values.gpus }}"', "<GPUS>"]
)
def test_a_number_that_nobody_filled_in(count: str) -> None:
    found = findings(pod(f"{{limits: {{nvidia.com/gpu: {count}}}}}"), "GPU104", "GPU015", "GPU011")
    is_for_programs = count.strip('"').startswith(("$", "{"))
    assert [one.severity for one in found] == ["warning" if is_for_programs else "error"]


def test_a_zero_beside_a_pod_with_devices_is_meant() -> None:
    cluster = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray}
spec:
  headGroupSpec:
    template:
      spec: {containers: [{name: head, resources: {limits: {nvidia.com/gpu: 0}}}]}
  workerGroupSpecs:
    - groupName: gpu
      replicas: 1
      template:
        spec: {containers: [{name: worker, resources: {limits: {nvidia.com/gpu: WORKERS}}}]}
"""
    assert not findings(cluster.replace("WORKERS", "1"), "GPU104")
    assert {one.severity for one in findings(cluster.replace("WORKERS", "0"), "GPU104")} == {"info"}


BOUND = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [EXPRESSION]}]
  containers: [{name: main, image: a/b:1}]
"""


@pytest.mark.parametrize(
    ("expression", "bound"),
    [
        ("{key: nvidia.com/gpu.product, operator: Exists}", True),
        ("{key: cloud.google.com/gke-accelerator, operator: In, values: [nvidia-l4]}", True),
        ("{key: nvidia.com/gpu.memory, operator: Gt, values: ['40000']}", True),
        ("{key: nvidia.com/gpu.present, operator: In, values: ['false']}", False),
        ("{key: nvidia.com/gpu.present, operator: DoesNotExist}", False),
        ("{key: nvidia.com/gpu.product, operator: NotIn, values: [Tesla-T4]}", False),
        ("{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}", False),
    ],
)
def test_which_conditions_bind_to_gpu_nodes(expression: str, bound: bool) -> None:
    """C-05: a selector without a device lands on an expensive node without a GPU."""
    assert bool(findings(BOUND.replace("EXPRESSION", expression), "GPU105")) is bound


def test_a_pools_own_label_binds_to_gpu_nodes_when_a_profile_tells_it() -> None:
    """C-05"""
    text = BOUND.replace("EXPRESSION", "{key: example.com/pool, operator: In, values: [h100]}")
    assert not findings(text, "GPU105")
    tolerant = text.replace(
        "spec:\n", "spec:\n  tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n"
    )
    assert findings(tolerant, "GPU105", profile="h100")


@pytest.mark.parametrize(
    "more",
    [
        "hostPID: true",
        "resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]",
    ],
)
def test_pods_that_have_business_on_gpu_nodes(more: str) -> None:
    """C-05"""
    text = BOUND.replace("EXPRESSION", "{key: nvidia.com/gpu.present, operator: Exists}")
    assert not findings(text.replace("  affinity:", f"  {more}\n  affinity:"), "GPU105")


SELECTED = """
apiVersion: v1
kind: Pod
metadata: {name: one, annotations: {gpu-fraction: "0.5"}}
spec:
  nodeSelector: {nvidia.com/gpu.present: "true"}
  containers: [{name: main, image: a/b:1}]
"""


def test_a_fraction_asked_for_in_another_way_is_a_device() -> None:
    assert not findings(SELECTED, "GPU105")
    assert findings(SELECTED.replace("gpu-fraction", "note"), "GPU105")


QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: NAMESPACE}
spec: {hard: {HARD}MORE}
---
"""


def quota(hard: str, namespace: str = "research", more: str = "") -> str:
    text = QUOTA.replace("NAMESPACE", namespace).replace("HARD", hard)
    return text.replace("MORE", more)


@pytest.mark.parametrize(
    ("resources", "hard", "missing"),
    [
        ("{limits: {nvidia.com/gpu: 1}}", "requests.cpu: 8, requests.memory: 1Gi", 2),
        ("{limits: {cpu: 1, memory: 1Gi}}", "requests.cpu: 8, requests.memory: 1Gi", 0),
        ("{requests: {cpu: 1, memory: 1Gi}}", "cpu: 8, memory: 1Gi", 0),
        ("{requests: {cpu: 1, memory: 1Gi}}", "limits.memory: 1Gi", 1),
        ("{}", "requests.nvidia.com/gpu: 8, pods: 10, requests.ephemeral-storage: 1Gi", 0),
    ],
)
def test_what_a_quota_makes_containers_name(resources: str, hard: str, missing: int) -> None:
    found = findings(quota(hard) + pod(resources), "GPU107")
    assert len(found) == bool(missing)
    assert sum(
        one.message.count("`requests.") + one.message.count("`limits.") for one in found
    ) == (missing)


def test_quotas_of_other_namespaces_and_of_some_pods_demand_nothing() -> None:
    asks = pod("{limits: {nvidia.com/gpu: 1}}")
    assert findings(quota("cpu: 8") + asks, "GPU107")
    assert not findings(quota("cpu: 8", "other") + asks, "GPU107")
    assert not findings(quota("cpu: 8", more=", scopes: [BestEffort]") + asks, "GPU107")


LIMITS = """
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: research}
spec: {limits: [{type: Container, default: {memory: 8Gi}, defaultRequest: {cpu: 2}}]}
---
"""


def test_a_limit_range_fills_in_what_is_missing() -> None:
    asks = pod("{limits: {nvidia.com/gpu: 1}}")
    demands = quota("requests.cpu: 8, requests.memory: 64Gi")
    assert findings(asks, "GPU108")
    assert not findings(LIMITS + demands + asks, "GPU107", "GPU108")
    assert findings(LIMITS + quota("limits.cpu: 8") + asks, "GPU107")


def test_what_only_looks_at_a_gpu_needs_no_memory() -> None:
    asks = pod("{limits: {nvidia.com/gpu: 1}}")
    assert not findings(asks + "      command: [nvidia-smi]\n", "GPU108")


def test_what_a_runtime_may_give_is_not_missed() -> None:
    service = """
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat, namespace: research}
spec:
  predictor:
    nodeSelector: {nvidia.com/gpu.present: "true"}
    model: {modelFormat: {name: huggingface}, resources: {limits: {nvidia.com/gpu: 1}}}
"""
    assert not findings(quota("cpu: 8") + service, "GPU1", "GPU201", profile="h100")


@pytest.mark.parametrize(
    ("driver", "path"),
    [
        ("{repository: r.example, image: driver}", "spec.driver.version"),
        ("{image: driver, version: '580'}", "spec.driver.repository"),
        ("{repository: r.example, image: driver, version: 580}", None),
        ("{image: 'r.example/driver:580'}", None),
        ("{version: '580'}", None),  # the image may be the chart's
        ("{enabled: false, repository: r.example, image: driver}", None),
        ("{manager: {repository: r.example, image: manager}}", "spec.driver.manager.version"),
    ],
)
def test_an_image_of_the_operator_has_all_its_parts_or_none(driver: str, path: str | None) -> None:
    policy = f"""
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {{name: policy}}
spec: {{driver: {driver}}}
"""
    assert [one.path for one in findings(policy, "GPU112")] == ([path] if path else [])


DYNAMO = """\
apiVersion: nvidia.com/VERSION
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: serving}
spec:
  services:
    Decode:
      componentType: worker
      replicas: 1
      resources: {requests: {cpu: "8"}, limits: {AMOUNTS}}
      extraPodSpec: {mainContainer: {image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.5.1}}
"""


@pytest.mark.parametrize(
    ("amounts", "note"),
    [
        ("nvidia.com/gpu: 1", 'write `gpu: "1"`'),
        ("amd.com/gpu: 2", "`gpuType`"),
        ("rdma/ib: 8", "custom"),
        ('gpu: "1"', None),
        ('gpu: "1", custom: {rdma/ib: "8"}', None),
        ('gpu: "1", gpuType: amd.com/gpu', None),
    ],
)
def test_dynamo_has_keys_of_its_own(amounts: str, note: str | None) -> None:
    text = DYNAMO.replace("AMOUNTS", amounts)
    found = findings(text.replace("VERSION", "v1alpha1"), "GPU103")
    assert [note in (one.note or "") for one in found if note] == ([True] if note else [])
    assert bool(found) is bool(note)
    assert not findings(text.replace("VERSION", "v1beta1"), "GPU103")
