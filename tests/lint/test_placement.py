"""Where pods may go (GPU2xx): what the pages do not show."""

import copy

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.lint import Engine, Finding, TextFeed
from gpuspec.manifests import Source
from tests.lint.cases import profile as made_profile
from tests.lint.pages import HERE, named_profile

MINE = ("GPU1", "GPU2")


def findings(text: str, *codes: str, context=None, profile=None) -> list[Finding]:
    """What the rules of these codes say, on a profile by name or by a case's context."""
    given = named_profile(profile) if profile else made_profile(context) if context else None
    engine = Engine(lambda code: code.startswith(MINE), given)
    found = [one.finding() for one in engine.run(TextFeed([Source("page.yaml", text)]))]
    return [one for one in found if one.rule.startswith(codes)]


def pod(spec: str = "", resources: str = "limits: {nvidia.com/gpu: 1}", more: str = "") -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: one{more}}}
spec:
  {spec or "restartPolicy: Never"}
  containers: [{{name: main, image: a/b:1, resources: {{{resources}}}}}]
"""


def context(provider="none", **pool):
    base = {"name": "gpu", "gpus_per_node": 8, "nodes": 4}
    return {"provider": provider, "pools": [{**base, **pool}]}


GPU_TAINT = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]


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
def test_who_answers_to_a_taint(provider, taints, said) -> None:
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
        [raised] = engine.run(TextFeed([Source("one.yaml", pod())]))
        assert raised.found.fix is not None
        assert raised.found.fix.safe is safe


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


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("example.com/pool: h100", None),
        ("example.com/pool: a100", "error"),
        ("topology.kubernetes.io/zone: room-1", None),
        ("topology.kubernetes.io/zone: room-3", "error"),
        ("kubernetes.io/arch: arm64", "error"),
        ("nvidia.com/gpu.product: Tesla-T4", "error"),
        ("nvidia.com/gpu.count: '8'", None),
        ("node.kubernetes.io/instance-type: p5.48xlarge", None),
        ("node-tier: gold", "warning"),
        ("cloud.google.com/gke-accelerator: nvidia-l4", "error"),
    ],
)
def test_selectors_against_what_a_profile_tells(selector, said) -> None:
    """C-09: what contradicts the profile is sure, what it does not tell is not."""
    found = findings(pod(f"nodeSelector: {{{selector}}}"), "GPU203", profile="h100")
    assert [one.severity for one in found] == ([said] if said else [])


def test_pods_without_a_device_may_go_to_nodes_that_no_profile_tells() -> None:
    text = pod("nodeSelector: {node-tier: gold}", "limits: {cpu: 1}")
    assert not findings(text, "GPU203", profile="h100")


def test_conditions_that_no_pool_meets_together() -> None:
    pools = [
        {
            "name": "a",
            "gpus_per_node": 8,
            "nodes": 1,
            "labels": {"example.com/size": "l", "example.com/net": "ib"},
        },
        {
            "name": "b",
            "gpus_per_node": 8,
            "nodes": 1,
            "labels": {"example.com/size": "s", "example.com/net": "eth"},
        },
    ]
    text = pod("nodeSelector: {example.com/size: l, example.com/net: NET}")
    [found] = findings(text.replace("NET", "eth"), "GPU203", context={"pools": pools})
    assert "`example.com/size` is `l` and `example.com/net` is `eth`" in found.message
    assert not findings(text.replace("NET", "ib"), "GPU203", context={"pools": pools})


def test_an_empty_term_matches_no_node() -> None:
    text = pod(
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{}]}}}"
    )
    [found] = findings(text, "GPU203", profile="h100")
    assert "matches no node" in found.message


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
def test_what_a_node_leaves_and_what_it_has(asked, said) -> None:
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


def test_a_claim_that_two_workloads_need_on_different_nodes() -> None:
    claim = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [MODE]}
"""
    user = """
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  nodeSelector: {example.com/pool: POOL}
  containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
    one = user.replace("NAME", "one").replace("POOL", "h100")
    other = user.replace("NAME", "other").replace("POOL", "l4")
    [found] = findings(claim.replace("MODE", "ReadWriteOnce") + one + other, "GPU208")
    assert [
        each.line for each in raised_related(claim.replace("MODE", "ReadWriteOnce") + one + other)
    ]
    assert found.path == "spec.accessModes"
    assert not findings(claim.replace("MODE", "ReadWriteMany") + one + other, "GPU208")
    near = other.replace("l4", "h100")
    assert not findings(claim.replace("MODE", "ReadWriteOnce") + one + near, "GPU208")


def raised_related(text: str):
    engine = Engine(lambda code: code == "GPU208")
    [found] = list(engine.run(TextFeed([Source("page.yaml", text)])))
    return engine.related(found)


def test_architectures() -> None:
    """C-65"""
    selected = pod("nodeSelector: {kubernetes.io/arch: ARCH, nvidia.com/gpu.product: NVIDIA-GB200}")
    assert findings(selected.replace("ARCH", "amd64"), "GPU209")
    assert not findings(selected.replace("ARCH", "arm64"), "GPU209")
    named = pod().replace("a/b:1", "a/b:1-arm64")
    assert findings(named, "GPU209", profile="h100")
    assert not findings(named, "GPU209")
    assert not findings(named.replace("arm64", "amd64"), "GPU209", profile="h100")
    [either] = findings(named, "GPU209", profile="two-architectures")
    assert either.severity == "warning"
    [unsaid] = findings(pod(), "GPU209", profile="two-architectures")
    assert unsaid.severity == "info"


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("nvidia.com/gpu.product", "A100", "NVIDIA-A100-SXM4-80GB"),
        ("nvidia.com/gpu.product", "NVIDIA-A100-SMX4-80GB", "NVIDIA-A100-SXM4-80GB"),
        ("nvidia.com/gpu.product", "nvidia-l4", "NVIDIA-L4"),
        ("cloud.google.com/gke-accelerator", "nvidia-h100-80g", "nvidia-h100-80gb"),
        ("karpenter.k8s.aws/instance-gpu-name", "A100", "a100"),
        ("nvidia.com/gpu.prodcut", "NVIDIA-L4", "nvidia.com/gpu.product"),
        ("nvidia.com/gpu-memory", "24576", "nvidia.com/gpu.memory"),
        ("nvidia.com/mig.stratgy", "single", "nvidia.com/mig.strategy"),
        ("cloud.google.com/gke-accelerators", "nvidia-l4", "cloud.google.com/gke-accelerator"),
    ],
)
def test_labels_that_no_labeller_sets(key, value, meant) -> None:
    """C-09"""
    [found] = findings(pod(f'nodeSelector: {{{key}: "{value}"}}'), "GPU213")
    assert f"`{meant}`" in found.message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nvidia.com/gpu.product", "NVIDIA-L4"),
        ("nvidia.com/gpu.product", "NVIDIA-L4-SHARED"),
        ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"),
        ("nvidia.com/gpu.product", "NVIDIA-R200"),
        ("nvidia.com/gpu.deploy.driver", "true"),
        ("nvidia.com/mig-1g.5gb.count", "7"),
        ("nvidia.com/custom", "yes"),
        ("gpu.nvidia.com/class", "H100"),
        ("example.com/gpu.prodcut", "x"),
        ("cloud.google.com/gke-nodepool", "gpu"),
        ("cloud.google.com/gke-tpu-slice", "x"),
    ],
)
def test_labels_that_somebody_may_set(key, value) -> None:
    assert not findings(pod(f'nodeSelector: {{{key}: "{value}"}}'), "GPU213")


def test_an_old_label_that_the_profile_tells_is_right() -> None:
    old = pod("nodeSelector: {accelerator: nvidia}")
    assert not findings(old, "GPU210")
    assert findings(old, "GPU210", context=context("aks"))
    told = context("aks", labels={"accelerator": "nvidia"})
    assert not findings(old, "GPU210", context=told)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("nodeName: gpu-1", "info"),
        ("nodeSelector: {kubernetes.io/hostname: gpu-1}", "info"),
        ("nodeSelector: {kubernetes.io/hostname: <node>}", None),
        ("nodeSelector: {nvidia.com/cuda.driver-version.major: '570'}", None),
    ],
)
def test_a_pod_alone_is_bound_to_a_node_for_a_reason(more, said) -> None:
    """C-10"""
    assert [one.severity for one in findings(pod(more), "GPU204")] == ([said] if said else [])


ODD = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "x", "${X}", [], {}, [None], ["x"], {"a": None}, [[]]]
)


def places(value, path=()):
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


BASES = {
    path.stem: next(iter(yaml.safe_load_all(path.read_text())))
    for path in sorted((HERE / "bases").glob("*.yaml"))
}


@given(st.data())
def test_nothing_that_may_stand_anywhere_stops_a_rule(data) -> None:
    name = data.draw(st.sampled_from(sorted(BASES)))
    value = copy.deepcopy(BASES[name])
    value.setdefault("spec", {})
    *above, last = data.draw(st.sampled_from([one for one in places(value) if one]))
    holder = value
    for step in above:
        holder = holder[step]
    holder[last] = data.draw(ODD)
    text = yaml.safe_dump(value)
    for profile in (None, "h100"):
        findings(text, profile=profile)
