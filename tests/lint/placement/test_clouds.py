"""GPU213 and GPU705 of labels that clouds set: beyond what their pages show."""

import pytest

from tests.lint.pages import raised
from tests.lint.plain import POD


def said(text: str, code: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == code]


def chosen(label: str) -> str:
    return POD.replace("spec:", f"spec:\n  nodeSelector: {{{label}}}", 1)


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("karpenter.sh/capacity-type: Spot", "`spot`, `on-demand`, `reserved`"),
        ("eks.amazonaws.com/capacityType: capacity-block", "`CAPACITY_BLOCK`"),
        ('cloud.google.com/gke-spot: "yes"', "GKE sets `true`"),
        ("cloud.google.com/gke-gpu-sharing-strategy: timesharing", "`time-sharing`, `mps`"),
        ("kubernetes.azure.com/priority: Spot", "AKS sets `spot`, `regular`"),
        ("karpenter.k8s.aws/instance-categry: g", "`karpenter.k8s.aws/instance-category`"),
        ('cloud.google.com/gke-flex_start: "true"', "`cloud.google.com/gke-flex-start`"),
        ("cloud.google.com/gke-tpu-accelerator: tpu-v6e", "sets `tpu-v6e-slice`"),
        ("cloud.google.com/gke-tpu-accelerator: tpu-v5e", "sets `tpu-v5-lite-podslice`"),
        ("cloud.google.com/gke-tpu-accelerator: tpu-v5p-podslice", "sets `tpu-v5p-slice`"),
        ("kubernetes.io/arch: x86_64", "the kubelet sets `amd64`"),
        ("nvidia.com/gpu.sharing-strategy: timeslicing", "sets `none`, `time-slicing`, `mps`"),
        ("nvidia.com/mig.strategy: none", "sets `single`, `mixed`"),
        ("karpenter.k8s.aws/instance-gpu-manufacturer: NVIDIA", "sets `nvidia`"),
    ],
)
def test_labels_that_no_node_has(label: str, words: str) -> None:
    (message,) = said(chosen(label), "GPU213")
    assert words in message


@pytest.mark.parametrize(
    "label",
    [
        "karpenter.sh/capacity-type: reserved",
        "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice",
        # Of another form, or older than the table, or newer.
        "cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-device",
        "cloud.google.com/gke-tpu-accelerator: tpu-v3-slice",
        "cloud.google.com/gke-tpu-accelerator: tpu-v9-slice",
        "kubernetes.io/arch: arm64",
        "nvidia.com/mig.strategy: mixed",
        "karpenter.sh/capacity-type: $CAPACITY",
        'cloud.google.com/gke-queued: "true"',
        "cloud.google.com/compute-class: our-gpus",
        "karpenter.k8s.aws/instance-family: g6",
        # Anybody's, since not all labels of this cloud are known.
        "cloud.google.com/team: spots",
    ],
)
def test_labels_that_a_node_may_have(label: str) -> None:
    assert not said(chosen(label), "GPU213")


def test_one_right_value_among_several_is_enough() -> None:
    term = "{key: karpenter.sh/capacity-type, operator: In, values: [SPOT, on-demand]}"
    affinity = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{term}]}}]}}}}}}"
    assert not said(POD.replace("spec:", f"spec:\n  {affinity}", 1), "GPU213")
    assert said(
        POD.replace("spec:", f"spec:\n  {affinity}", 1).replace("on-demand", "Spot"), "GPU213"
    )


def test_a_label_of_a_cloud_on_a_pod_chooses_nothing() -> None:
    label = 'cloud.google.com/gke-spot: "true"'
    labelled = POD.replace("namespace: ml", f"namespace: ml, labels: {{{label}}}")
    assert said(labelled, "GPU705")
    # Who selects by it too wants to be found by it.
    assert not said(labelled.replace("spec:", f"spec:\n  nodeSelector: {{{label}}}", 1), "GPU705")
