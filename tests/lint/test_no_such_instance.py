"""GPU421: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  limits: {nvidia.com/gpu: 16}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements: [ROWS]
"""
OVERLAY = """\
---
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: g6f}
spec:
  requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [g6f]}]
  capacity: {nvidia.com/gpu: 1}
"""


def row(key: str, operator: str, *values: str) -> str:
    listed = ", ".join(f'"{value}"' for value in values)
    return f"{{key: {key}, operator: {operator}, values: [{listed}]}}"


def own(key: str, operator: str, *values: str) -> str:
    return row(f"karpenter.k8s.aws/instance-{key}", operator, *values)


FRACTION = own("family", "In", "g6f")


def said(*rows: str, text: str = POOL) -> list[str]:
    written = text.replace("ROWS", ", ".join(rows))
    return [one.finding().message for one in raised(written) if one.rule.code == "GPU421"]


@pytest.mark.parametrize(
    "other",
    [
        own("cpu", "In", "2", "4"),
        own("gpu-count", "Gt", "8"),
        own("gpu-count", "DoesNotExist"),
        own("gpu-name", "In", "h100"),
        own("memory", "Lt", "65536"),
        own("category", "NotIn", "p"),
        own("size", "In", "xlarge"),
        row("kubernetes.io/arch", "In", "arm64"),
        row("node.kubernetes.io/instance-type", "In", "p5.48xlarge"),
    ],
)
def test_what_no_machine_of_the_families_has(other: str) -> None:
    """The order of the requirements decides nothing."""
    families = own("family", "In", "p4d", "p4de")
    assert "creates no node: no instance type has" in said(families, other)[0]
    assert len(said(other, families)) == 1


@pytest.mark.parametrize(
    "rows",
    [
        (own("family", "In", "p4d", "m7i"), own("cpu", "In", "8")),
        (own("category", "In", "p"), own("cpu", "In", "8")),
        (own("family", "NotIn", "g6"), own("cpu", "In", "8")),
        (own("family", "In", "p4d"), row("example.com/tier", "In", "gold")),
        (own("family", "In", "p4d"), row("karpenter.sh/capacity-type", "In", "spot")),
        (own("family", "In", "p4d"), own("local-nvme", "Gt", "99999")),
    ],
)
def test_of_machines_or_labels_that_are_not_known_nothing_is_said(rows: tuple[str, ...]) -> None:
    assert said(*rows) == []


def test_a_part_of_a_gpu_counts_as_none_where_pods_with_gpus_are_meant() -> None:
    assert "Karpenter counts the part as 0" in said(FRACTION)[0]
    assert said(FRACTION, text=POOL.replace("nvidia.com/gpu", "cpu")) == []
    assert said(own("family", "In", "g6f", "g6")) == []


def test_a_node_overlay_gives_it_one() -> None:
    assert said(FRACTION, text=POOL + OVERLAY) == []
    assert said(FRACTION, text=POOL + OVERLAY.replace("nvidia.com/gpu", "smarter-devices/fuse"))


def test_of_auto_mode_it_is_not_known() -> None:
    auto = POOL.replace("karpenter.k8s.aws", "eks.amazonaws.com")
    counted = own("gpu-count", "Gt", "0").replace("karpenter.k8s.aws", "eks.amazonaws.com")
    family = FRACTION.replace("karpenter.k8s.aws", "eks.amazonaws.com")
    assert said(family, text=auto) == said(family, counted, text=auto) == []
    assert said(FRACTION, own("gpu-count", "Gt", "0"))


@pytest.mark.parametrize(
    ("rows", "limits", "words"),
    [
        ((own("family", "In", "p4d"),), "nvidia.com/gpu: 4", "has 8 `nvidia.com/gpu`"),
        ((own("family", "In", "p4d"),), "cpu: 64", "has 96 `cpu`"),
        ((own("family", "In", "g4ad"),), "nvidia.com/gpu: 4", "`g4ad` have `amd.com/gpu`"),
        ((row("node.kubernetes.io/instance-type", "In", "g5"),), "cpu: 64", "has `node.kube"),
        ((own("family", "In", "g5.xlarge"),), "cpu: 64", "no instance type has"),
        ((own("gpu-name", "In", "A10G"),), "cpu: 64", "no instance type has"),
        ((row("kubernetes.io/arch", "In", "x86_64"),), "cpu: 64", "is never `x86_64`"),
    ],
)
def test_limits_below_any_machine_and_values_of_none(
    rows: tuple[str, ...], limits: str, words: str
) -> None:
    (message,) = said(*rows, text=POOL.replace("nvidia.com/gpu: 16", limits))
    assert words in message


@pytest.mark.parametrize(
    ("rows", "limits"),
    [
        ((own("family", "In", "p4d"),), "nvidia.com/gpu: 8"),
        ((own("family", "In", "p4d", "g5"),), "nvidia.com/gpu: 4"),
        # Turned off.
        ((own("family", "In", "p4d"),), "cpu: 0"),
        ((own("family", "In", "g4ad", "g5"),), "nvidia.com/gpu: 4"),
        ((own("family", "In", "g4ad"),), "amd.com/gpu: 4"),
        ((own("family", "In", "g5", "G6"),), "cpu: 64"),
        ((row("node.kubernetes.io/instance-type", "In", "$TYPE"),), "cpu: 64"),
        ((row("kubernetes.io/arch", "In", "arm64", "x86_64"),), "cpu: 64"),
    ],
)
def test_limits_and_values_that_some_machine_has(rows: tuple[str, ...], limits: str) -> None:
    assert said(*rows, text=POOL.replace("nvidia.com/gpu: 16", limits)) == []


def test_capitals_are_right_in_another_cloud() -> None:
    azure = POOL.replace("karpenter.k8s.aws", "karpenter.azure.com")
    asked = row("node.kubernetes.io/instance-type", "In", "Standard_NC24ads_A100_v4")
    assert said(asked, text=azure.replace("nvidia.com/gpu: 16", "cpu: 64")) == []


WORKSPACE = """\
apiVersion: kaito.sh/v1beta1
kind: Workspace
metadata: {name: phi}
resource: {instanceType: SIZE, labelSelector: {matchLabels: {apps: phi}}}
inference: {preset: {name: phi-4-mini-instruct}}
"""


@pytest.mark.parametrize("size", ["Standard_DS2_v2", "Standard_D8s_v5", "Standard_E16ads_v5"])
def test_a_size_of_azure_without_a_gpu(size: str) -> None:
    (message,) = said(text=WORKSPACE.replace("SIZE", size))
    assert f"`{size}` has no GPU" in message
    own_template = WORKSPACE.replace("preset: {name: phi-4-mini-instruct}", "template: {}")
    assert said(text=own_template.replace("SIZE", size)) == []
    tuning = WORKSPACE.replace("inference", "tuning")
    assert len(said(text=tuning.replace("SIZE", size))) == 1


@pytest.mark.parametrize(
    "size", ["Standard_NC24ads_A100_v4", "g5.4xlarge", '"Standard_${SIZE}"', '""']
)
def test_a_size_with_a_gpu_or_of_another_cloud(size: str) -> None:
    assert said(text=WORKSPACE.replace("SIZE", size)) == []


@pytest.mark.parametrize(
    ("group", "asked", "words"),
    [
        ("karpenter.k8s.aws", own("gpu-model", "In", "a100"), "has no label"),
        ("karpenter.k8s.aws", row("eks.amazonaws.com/instance-family", "In", "g6"), "no machines"),
        ("karpenter.k8s.aws", row("node.kubernetes.io/instance-family", "In", "g6"), "no machines"),
        ("eks.amazonaws.com", own("family", "In", "g6"), "no machines"),
        ("karpenter.azure.com", own("family", "In", "g6"), "no machines"),
        ("karpenter.azure.com", row("karpenter.azure.com/sku-gpu", "Exists"), "has no label"),
        ("karpenter.k8s.gcp", row("karpenter.k8s.gcp/instance-gpus", "Exists"), "has no label"),
    ],
)
def test_labels_that_the_karpenter_of_the_nodes_does_not_read(
    group: str, asked: str, words: str
) -> None:
    (message,) = said(asked, text=POOL.replace("karpenter.k8s.aws", group))
    assert words in message


@pytest.mark.parametrize(
    ("group", "asked"),
    [
        ("karpenter.k8s.aws", own("local-nvme", "Gt", "100")),
        ("karpenter.k8s.aws", row("eks.amazonaws.com/compute-type", "NotIn", "auto")),
        ("karpenter.k8s.aws", row("eks.amazonaws.com/instance-family", "DoesNotExist")),
        # New labels of a domain that is not known whole.
        ("eks.amazonaws.com", row("eks.amazonaws.com/instance-tenancy", "Exists")),
        ("karpenter.azure.com", row("karpenter.azure.com/sku-gpu-count", "Gt", "0")),
        ("karpenter.k8s.gcp", row("karpenter.k8s.gcp/instance-gpu-name", "Exists")),
        ("karpenter.example.com", own("gpu-model", "In", "a100")),
    ],
)
def test_labels_that_it_reads_or_that_are_not_known(group: str, asked: str) -> None:
    assert said(asked, text=POOL.replace("karpenter.k8s.aws", group)) == []
