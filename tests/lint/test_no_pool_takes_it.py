"""GPU214, GPU215 and GPU421: pods that are bound to NodePools of the set, beyond what their pages show."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: NAME}
spec:
  limits: {LIMITS}
  template:
    metadata: {labels: {pool: x}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      taints: [TAINTS]
      requirements: [ROWS]
---
"""
PODS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: ml}
spec:
  replicas: COUNT
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      nodeSelector: {SELECTOR}
      containers:
        - name: main
          image: registry.example.com/d:1
          resources: {requests: {cpu: 2}, limits: {DEVICES}}
---
"""
OVERLAY = """\
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: more}
spec:
  requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [g6]}]
  capacity: {nvidia.com/gpu: 4}
---
"""
SHARING = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: device-plugin, namespace: gpu-operator}
data:
  any: |
    version: v1
    sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}
---
"""


def own(key: str, *values: str) -> str:
    return f"{{key: karpenter.k8s.aws/instance-{key}, operator: In, values: [{', '.join(values)}]}}"


def pool(*rows: str, limits: str = "", taints: str = "", name: str = "gpu") -> str:
    given = (("ROWS", ", ".join(rows)), ("LIMITS", limits), ("TAINTS", taints), ("NAME", name))
    text = POOL
    for word, value in given:
        text = text.replace(word, value)
    return text


def pods(count: int = 1, selector: str = "pool: x", devices: str = "nvidia.com/gpu: 1") -> str:
    text = PODS.replace("COUNT", str(count)).replace("SELECTOR", selector)
    return text.replace("DEVICES", devices)


def said(code: str, *texts: str) -> list[RaisedFinding]:
    return [one for one in raised("".join(texts)) if one.rule.code == code]


G6 = own("family", "g6")
SMALL = (G6, own("size", "xlarge", "2xlarge"))


@pytest.mark.parametrize(
    ("made", "asking", "words"),
    [
        (pool(*SMALL), pods(devices="nvidia.com/gpu: 2"), "`gpu` has 1 `nvidia.com/gpu` at most"),
        (pool(own("family", "p5"), own("cpu", "'16'")), pods(devices="nvidia.com/gpu: 8"), "has 1"),
        (pool(own("family", "g4ad")), pods(), "has no `nvidia.com/gpu`"),
        (pool(own("family", "g6f")), pods(), "has no `nvidia.com/gpu`"),
        (pool(G6), pods(devices="amd.com/gpu: 1"), "has no `amd.com/gpu`"),
        (pool(*SMALL), pods(devices="nvidia.com/gpu: 1, memory: 64Gi"), "has 32Gi of `memory`"),
        (pool(*SMALL), pods(devices="nvidia.com/gpu: 1, vpc.amazonaws.com/efa: 1"), "has no `vpc"),
        (pool(G6, taints="{key: team, value: a, effect: NoSchedule}"), pods(), "`team=a:NoSchedule`"),
        (pool(G6), pods(selector="pool: x, tier: gold"), "creates no node with `tier: gold`"),
        (
            pool(G6),
            pods(selector="pool: x, nvidia.com/gpu.product: NVIDIA-L4"),
            "creates no node with `nvidia.com/gpu.product: NVIDIA-L4`",
        ),
        (
            pool(G6),
            pods(selector="pool: x, karpenter.k8s.aws/instance-gpu-name: a10g"),
            "no instance type that NodePool `gpu` allows has",
        ),
        (
            pool(own("category", "g")),
            pods(
                selector="pool: x, node.kubernetes.io/instance-type: g6.xlarge",
                devices="nvidia.com/gpu: 4",
            ),
            "has 1 `nvidia.com/gpu` at most",
        ),
    ],
)  # fmt: skip
def test_nodes_that_a_pool_never_makes(made: str, asking: str, words: str) -> None:
    (one,) = said("GPU215", made, asking)
    assert words in one.found.message


@pytest.mark.parametrize(
    "texts",
    [
        (pool(G6), pods(devices="nvidia.com/gpu: 8")),
        # Families that are not known, or not all of them.
        (pool(own("family", "g6", "m7i")), pods(devices="amd.com/gpu: 8")),
        (pool(own("category", "g")), pods(devices="nvidia.com/gpu: 16")),
        # Not bound to it, or to another as well.
        (pool(*SMALL), pods(selector="", devices="nvidia.com/gpu: 2")),
        (pool(*SMALL), pods(selector="pool: y", devices="nvidia.com/gpu: 2")),
        (pool(*SMALL), pool(G6, name="large"), pods(devices="nvidia.com/gpu: 2")),
        # What something else makes of a GPU.
        (pool(*SMALL), pods(devices="nvidia.com/gpu: 4"), OVERLAY),
        (pool(*SMALL), pods(devices="nvidia.com/gpu: 4"), SHARING),
        (pool(*SMALL), pods(devices="nvidia.com/gpu.shared: 4")),
        (pool(own("family", "g6f")).replace("karpenter.k8s.aws, kind", "eks.amazonaws.com, kind"), pods()),
        # EKS lets pods that ask for the resource tolerate a taint of its name.
        (pool(G6, taints="{key: nvidia.com/gpu, value: a, effect: NoSchedule}"), pods()),
        (pool(G6, taints="{key: team, value: a, effect: PreferNoSchedule}"), pods()),
        # A label that may have any value, or that is well-known.
        (pool(G6, "{key: tier, operator: Exists}"), pods(selector="pool: x, tier: gold")),
        (pool(G6), pods(selector="pool: x, topology.kubernetes.io/zone: a")),
        # Another cloud's labels.
        (pool(G6).replace("karpenter.k8s.aws, kind", "karpenter.azure.com, kind"), pods(selector="pool: x, tier: gold")),
    ],
)  # fmt: skip
def test_nodes_that_a_pool_may_make(texts: tuple[str, ...]) -> None:
    assert said("GPU215", *texts) == []


def test_what_excludes_the_right_size_is_named() -> None:
    made = pool(own("family", "p4d", "p5"), own("cpu", "'2'", "'16'"))
    (one,) = said("GPU215", made, pods(devices="nvidia.com/gpu: 8"))
    assert one.found.note is not None
    assert "in the requirement `karpenter.k8s.aws/instance-cpu`" in one.found.note


def test_by_the_pools_name_a_taint_is_certain() -> None:
    made = pool(G6, taints="{key: team, effect: NoExecute}")
    (one,) = said("GPU215", made, pods(selector="karpenter.sh/nodepool: gpu"))
    assert one.found.confidence == "certain"
    assert one.found.fix is not None


@pytest.mark.parametrize(
    ("made", "asking", "words"),
    [
        (pool(G6, limits="nvidia.com/gpu: 1"), pods(2), "requests 2 `nvidia.com/gpu`"),
        (
            pool(own("family", "p4d"), limits="nvidia.com/gpu: 12"),
            pods(9),
            "enough for 1 node of `p4d.24xlarge`: 8 of 9 pods",
        ),
        (pool(own("family", "p4d"), limits="cpu: 100"), pods(9), "8 of 9 pods"),
        (pool(own("family", "p4d"), limits="nodes: 1"), pods(9), "8 of 9 pods"),
        (
            pool(G6, limits="nvidia.com/gpu: 1", name="a")
            + pool(G6, limits="nvidia.com/gpu: 2", name="b"),
            pods(4),
            "NodePools `a`, `b` are enough for 3 of 4 pods",
        ),
    ],
)
def test_limits_that_are_too_low(made: str, asking: str, words: str) -> None:
    (one,) = said("GPU214", made, asking)
    assert words in one.found.message
    assert one.finding().severity == "warning"


@pytest.mark.parametrize(
    "texts",
    [
        (pool(G6, limits="nvidia.com/gpu: 2"), pods(2)),
        (pool(own("family", "p4d"), limits="nvidia.com/gpu: 16"), pods(16)),
        (pool(own("family", "p4d"), limits="memory: 2200Gi"), pods(16)),
        (pool(own("family", "g6", "m7i"), limits="cpu: 4"), pods(2)),
        (pool(G6, limits="nvidia.com/gpu: 1"), pool(G6, name="other"), pods(2)),
        (pool(own("family", "g6"), limits="cpu: 4"), pods(2), SHARING),
    ],
)
def test_limits_that_are_enough(texts: tuple[str, ...]) -> None:
    assert said("GPU214", *texts) == []


EC2 = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec: {amiSelectorTerms: [{alias: AMI@latest}], MORE}
---
"""
XVDA = "blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 100Gi}}]"
XVDB = XVDA.replace("xvda", "xvdb")


@pytest.mark.parametrize(
    ("ami", "more", "told"),
    [
        ("al2023", XVDA, "100Gi"),
        ("al2023", "tags: {a: b}", "20Gi"),
        ("al2023", f"{XVDA}, instanceStorePolicy: RAID0", ""),
        ("al2023", XVDA.replace("100Gi", "900Gi"), ""),
        ("bottlerocket", XVDA, ""),
        ("bottlerocket", XVDB, "100Gi"),
        ("custom", XVDA, ""),
        ("custom", XVDA.replace("{deviceName", "{rootVolume: true, deviceName"), "100Gi"),
    ],
)
def test_disks_of_node_classes(ami: str, more: str, told: str) -> None:
    found = disk(EC2.replace("AMI", ami).replace("MORE", more))
    assert bool(found) is bool(told) and told in "".join(found)


@pytest.mark.parametrize(
    ("group", "kind", "spec", "told"),
    [
        ("eks.amazonaws.com/v1", "NodeClass", "{}", "80Gi"),
        ("eks.amazonaws.com/v1", "NodeClass", "{ephemeralStorage: {size: 600Gi}}", ""),
        ("karpenter.azure.com/v1beta1", "AKSNodeClass", "{osDiskSizeGB: 300}", "279.4Gi"),
        (
            "karpenter.k8s.gcp/v1alpha1",
            "GCENodeClass",
            "{disks: [{boot: true, sizeGiB: 200}]}",
            "200Gi",
        ),
        ("karpenter.k8s.gcp/v1alpha1", "GCENodeClass", "{disks: [{sizeGiB: 200}]}", ""),
        ("example.com/v1", "NodeClass", "{}", ""),
    ],
)
def test_disks_of_other_providers(group: str, kind: str, spec: str, told: str) -> None:
    node_class = f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: gpu}}\nspec: {spec}\n---\n"
    found = disk(node_class, group.partition("/")[0], kind)
    assert bool(found) is bool(told) and told in "".join(found)


def disk(
    node_class: str, group: str = "karpenter.k8s.aws", kind: str = "EC2NodeClass"
) -> list[str]:
    """What is said of a pod that requests 500Gi of disk from nodes of a class."""
    pool = POOL.replace("karpenter.k8s.aws, kind: EC2NodeClass", f"{group}, kind: {kind}")
    pool = (
        pool.replace("NAME", "gpu").replace("LIMITS", "").replace("TAINTS", "").replace("ROWS", "")
    )
    pods = PODS.replace("SELECTOR", "karpenter.sh/nodepool: gpu").replace("COUNT", "1")
    pods = pods.replace("DEVICES", "nvidia.com/gpu: 1, ephemeral-storage: 500Gi")
    text = node_class + pool + pods
    return [
        one.finding().message
        for one in raised(text)
        if one.rule.code == "GPU215" and "disk" in one.finding().message
    ]
