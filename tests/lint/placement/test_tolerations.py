"""Taints, and who answers to them."""

from typing import Any

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.cases import profile as made_profile
from tests.lint.placement.pods import GPU_TAINT, context, findings, pod


@pytest.mark.parametrize(
    ("provider", "taints", "said"),
    [
        ("none", GPU_TAINT, "error"),
        ("gke", [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}], None),
        ("eks", GPU_TAINT, "info"),
        ("aks", GPU_TAINT, "info"),
        ("eks", [{"key": "gpu", "effect": "NoSchedule"}], "error"),
        ("aks", [{"key": "sku", "value": "gpu", "effect": "NoSchedule"}], "error"),
        ("gke", [{"key": "nvidia.com/gpu", "effect": "NoExecute"}], "error"),
        ("none", [{"key": "nvidia.com/gpu", "effect": "PreferNoSchedule"}], None),
        ("none", [], None),
    ],
)
def test_who_answers_to_a_taint(
    provider: str, taints: list[dict[str, Any]], said: str | None
) -> None:
    """C-06: the provider's admission adds the toleration that is named like the resource."""
    found = findings(pod(), "GPU201", context=context(provider, taints=taints))
    assert [one.severity for one in found] == ([said] if said else [])


def test_without_pools_only_what_is_bound_to_an_operators_nodes_is_said() -> None:
    """C-06"""
    bound = pod("nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}")
    [found] = findings(bound, "GPU201")
    assert (found.severity, found.confidence) == ("info", "possible")
    assert not findings(pod(), "GPU201")
    assert not findings(
        pod("nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}"), "GPU201"
    )
    assert not findings(bound, "GPU201", context={"provider": "gke"})


def test_only_a_taint_of_gpu_nodes_is_tolerated_by_a_safe_fix() -> None:
    """C-06"""
    for key, safe in (("nvidia.com/gpu", True), ("team", False)):
        taints = [{"key": key, "value": "a", "effect": "NoSchedule"}]
        engine = Engine(lambda code: code == "GPU201", made_profile(context(taints=taints)))
        [raised] = engine.run(TextLoader([SourceFile("one.yaml", pod())]))
        assert raised.found.fix is not None
        assert raised.found.fix.safe is safe


def test_all_taints_of_the_nodes_are_named() -> None:
    taints = [*GPU_TAINT, {"key": "team", "value": "a", "effect": "NoSchedule"}]
    [found] = findings(pod(), "GPU201", context=context(taints=taints))
    assert "taint `nvidia.com/gpu:NoSchedule` and `team=a:NoSchedule`" in found.message


def test_one_pool_that_takes_the_pod_is_enough() -> None:
    """C-08: pools have different taints."""
    pools = [
        {"name": "a", "gpus_per_node": 8, "nodes": 1, "taints": GPU_TAINT},
        {
            "name": "b",
            "gpus_per_node": 8,
            "nodes": 1,
            "taints": [{"key": "x", "effect": "NoSchedule"}],
        },
    ]
    tolerates = "tolerations: [{key: x, operator: Exists}]"
    assert findings(pod(), "GPU201", context={"pools": pools})
    assert not findings(pod(tolerates), "GPU201", context={"pools": pools})


FLAVOR = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
spec: {tolerations: [{key: KEY, operator: Exists}]}
---
"""


def test_kueue_gives_a_flavors_tolerations() -> None:
    queued = pod(more=", labels: {kueue.x-k8s.io/queue-name: research}")
    where = context(taints=GPU_TAINT)
    assert [one.severity for one in findings(queued, "GPU201", context=where)] == ["warning"]
    flavor = FLAVOR.replace("KEY", "nvidia.com/gpu")
    assert not findings(flavor + queued, "GPU201", context=where)
    assert findings(FLAVOR.replace("KEY", "x") + queued, "GPU201", context=where)


def test_a_workflows_tolerations_are_its_templates() -> None:
    workflow = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: one}
spec:
  tolerations: [{key: KEY, operator: Exists}]
  templates: [{name: a, container: {image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}}]
"""
    where = context(taints=GPU_TAINT)
    assert not findings(workflow.replace("KEY", "nvidia.com/gpu"), "GPU201", context=where)
    assert findings(workflow.replace("KEY", "x"), "GPU201", context=where)


def test_tolerations_of_gpu_nodes_without_a_device() -> None:
    """C-07: a toleration permits, it does not attract."""
    tolerates = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"
    assert findings(pod(tolerates, "limits: {cpu: 1}"), "GPU202")
    assert not findings(pod(tolerates), "GPU202")
    assert not findings(pod("tolerations: [{operator: Exists}]", "limits: {cpu: 1}"), "GPU202")
    selected = tolerates + "\n  nodeSelector: {pool: cpu}"
    assert not findings(pod(selected, "limits: {cpu: 1}"), "GPU202")


CHECK = """
apiVersion: v1
kind: Pod
metadata: {name: check, annotations: {ANNOTATIONS}}
spec:
  tolerations: [{key: nvidia.com/gpu, operator: Exists}]
  initContainers: [{name: check, image: a/b:1, env: [{name: NVIDIA_VISIBLE_DEVICES, value: "VALUE"}]}]
  containers: [{name: main, image: a/b:1}]
"""


@pytest.mark.parametrize(
    ("annotations", "value", "quiet"),
    [
        ("", "all", True),
        ("", "void", False),
        ("nvidia.cdi.k8s.io/container.check: management.nvidia.com/gpu=all", "void", True),
        ("cdi.k8s.io/check: nvidia.com/gpu=0", "", True),
        ("team: research", "", False),
    ],
)
def test_a_pod_that_uses_gpus_without_a_request_belongs_on_their_nodes(
    annotations: str, value: str, quiet: bool
) -> None:
    """C-07: the GPU Operator's validator checks the whole node so."""
    text = CHECK.replace("ANNOTATIONS", annotations).replace("VALUE", value)
    assert bool(findings(text, "GPU202")) is not quiet


DAEMON = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: exporter}
spec:
  selector: {matchLabels: {app: exporter}}
  template:
    metadata: {labels: {app: exporter}}
    spec:
      nodeSelector: {SELECTOR}
      containers: [{name: main, image: a/b:1}]
"""


def test_daemons_for_gpu_nodes_need_their_toleration() -> None:
    """C-54: no admission plugin adds it to pods without a device, GKE's neither."""
    text = DAEMON.replace("SELECTOR", 'nvidia.com/gpu.present: "true"')
    [found] = findings(text, "GPU206")
    assert found.severity == "warning"
    for provider in ("none", "gke"):
        [found] = findings(text, "GPU206", context=context(provider, taints=GPU_TAINT))
        assert found.severity == "error"
    assert not findings(text, "GPU206", context=context())
    assert not findings(DAEMON.replace("SELECTOR", "kubernetes.io/os: linux"), "GPU206")
    [found] = findings(DAEMON.replace("SELECTOR", 'amd.com/gpu: "true"'), "GPU206")
    assert "the DaemonSet runs on no node with the taint `amd.com/gpu" in found.message
    [found] = findings(
        DAEMON.replace("SELECTOR", "kubernetes.azure.com/accelerator: amd"), "GPU206"
    )
    assert "with the taint `amd.com/gpu" in found.message


@pytest.mark.parametrize(
    ("kind", "tolerations", "said"),
    [
        ("InferenceService", "[{key: nvidia.com/gpu, value: NVIDIA-A10G}]", ["error"]),
        ("InferenceService", "[{key: nvidia.com/gpu, operator: Exists}]", []),
        ("InferenceService", "[]", []),
        ("LLMInferenceService", "[{key: nvidia.com/gpu, value: NVIDIA-A10G}]", ["error"]),
        ("LLMInferenceService", "[{key: nvidia.com/gpu, operator: Exists}]", []),
    ],
)
def test_tolerations_of_an_object_with_a_runtime_are_all_that_its_pods_have(
    kind: str, tolerations: str, said: list[str]
) -> None:
    """C-06: KServe puts them in the place of the runtime's; where it writes none, nobody knows."""
    flat = kind == "InferenceService"
    container = "model: {modelFormat: {name: vLLM}," if flat else "containers: [{name: main,"
    text = f"""\
apiVersion: serving.kserve.io/{"v1beta1" if flat else "v1alpha1"}
kind: {kind}
metadata: {{name: llm}}
spec:
  {"predictor" if flat else "template"}:
    tolerations: {tolerations}
    {container} resources: {{limits: {{nvidia.com/gpu: 1}}}}}}{"" if flat else "]"}
"""
    taints = [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]
    found = findings(text, "GPU201", context=context(taints=taints))
    assert [one.severity for one in found] == said


def test_daemons_for_spot_nodes_need_the_toleration_of_their_provider() -> None:
    spot = "kubernetes.azure.com/scalesetpriority"
    text = DAEMON.replace("SELECTOR", f"kubernetes.azure.com/accelerator: nvidia, {spot}: spot")
    gpus = "tolerations: [{key: sku, value: gpu, effect: NoSchedule}MORE]\n      containers:"
    text = text.replace("containers:", gpus, 1)
    [found] = findings(text.replace("MORE", ""), "GPU206")
    assert spot in found.message
    both = text.replace("MORE", f", {{key: {spot}, value: spot, effect: NoSchedule}}")
    assert not findings(both, "GPU206")
