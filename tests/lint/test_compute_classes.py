"""GPU421, GPU215 and GPU022: ComputeClasses of GKE, and pods that select them."""

import pytest

from tests.lint.pages import raised

CLASS = """\
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {{name: training-gpus}}
spec:
  nodePoolAutoCreation: {{enabled: true}}
  whenUnsatisfiable: {then}
  priorities: [{rows}]
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  nodeSelector: {{{labels}}}
  containers: [{{name: main, image: "a:1", resources: {{limits: {{nvidia.com/gpu: {count}}}}}}}]
"""


def said(rule: str, rows: str, pod: str = "", then: str = "DoNotScaleUp") -> list[tuple[str, str]]:
    found = [one.finding() for one in raised(CLASS.format(rows=rows, then=then) + pod)]
    return [(one.message, one.note or "") for one in found if one.rule == rule]


def selecting(count: int, labels: str = "cloud.google.com/compute-class: training-gpus") -> str:
    return POD.format(count=count, labels=labels)


@pytest.mark.parametrize(
    ("row", "words", "note"),
    [
        ("gpu: {type: nvidia-a100-40gb, count: 1}", "GKE has no GPU", "`nvidia-tesla-a100`"),
        ("gpu: {type: nvidia-l40s, count: 1}", "GKE has no GPU", "`nvidia-l4`"),
        ("gpu: {type: nvidia-l4, count: 3}", "no machine of GKE has 3 GPUs", "`4`"),
        ("gpu: {type: nvidia-l4, count: 16}", "no machine of GKE has 16 GPUs", "`8`"),
        ("machineFamily: g2, gpu: {type: nvidia-tesla-t4, count: 1}", "family `g2`", "n1"),
        ("machineType: g2-standard-8, gpu: {type: nvidia-l4, count: 2}", "has 1 GPU, not 2", "1"),
        (
            "machineType: g2-standard-8, gpu: {type: nvidia-b200, count: 8}",
            "has the GPU `nvidia-l4`",
            "nvidia-l4",
        ),
    ],
)
def test_priorities_that_no_machine_meets(row: str, words: str, note: str) -> None:
    ((message, hint),) = said("GPU421", f"{{{row}}}")
    assert words in message and note in hint


@pytest.mark.parametrize(
    "row",
    [
        "gpu: {type: nvidia-l4, count: 4}",
        "gpu: {type: nvidia-new, count: 3}",
        "machineFamily: n1, gpu: {type: nvidia-tesla-t4, count: 4}",
        "machineType: n1-standard-8, gpu: {type: nvidia-tesla-v100, count: 8}",
        "machineType: a3-megagpu-8g, gpu: {type: nvidia-h100-mega-80gb, count: 8}",
        "machineFamily: a9, gpu: {type: nvidia-b200, count: 8}",
        "machineFamily: g4, gpu: {type: nvidia-rtx-pro-6000, count: 2}",
        "machineFamily: n4",
        "gpu: 3",
        "gpu: {type: [a], count: many}",
    ],
)
def test_priorities_that_a_machine_meets_or_may(row: str) -> None:
    assert said("GPU421", f"{{{row}}}") == []


L4 = "{gpu: {type: nvidia-l4, count: 2}}"


def test_pods_with_more_gpus_or_another_accelerator() -> None:
    ((message, _),) = said("GPU215", L4, selecting(4))
    assert "ComputeClass `training-gpus` has 2 at most" in message
    labels = "cloud.google.com/compute-class: training-gpus, cloud.google.com/gke-accelerator: nvidia-tesla-t4"
    ((message, note),) = said("GPU215", L4, selecting(1, labels))
    assert "no priority of ComputeClass `training-gpus`" in message and "`nvidia-l4`" in note


@pytest.mark.parametrize(
    ("rows", "then"),
    [
        (L4, "ScaleUpAnyway"),
        (f"{L4}, {{nodepools: [large]}}", "DoNotScaleUp"),
        (f"{L4}, {{machineType: g2-standard-96}}", "DoNotScaleUp"),
        (
            "{gpu: {type: nvidia-l4, count: 1, gpuSharing: {maxSharedClientsPerGpu: 4}}}",
            "DoNotScaleUp",
        ),
    ],
)
def test_classes_that_may_have_a_larger_node(rows: str, then: str) -> None:
    assert said("GPU215", rows, selecting(4), then) == []


def test_a_class_or_a_pool_that_is_spelt_otherwise() -> None:
    ((message, _),) = said(
        "GPU022", L4, selecting(1, "cloud.google.com/compute-class: trainig-gpus")
    )
    assert message.startswith("no ComputeClass is named `trainig-gpus`, but `training-gpus` exists")
