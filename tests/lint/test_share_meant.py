"""GPU705 and GPU318 where a share of a GPU is written as another system than the scheduler's reads it."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: p, namespace: ml}
spec:
  selector: {matchLabels: {app: p}}
  template:
    metadata: {labels: {app: p}, annotations: {KEY: "VALUE"}}
    spec:
      schedulerName: SCHEDULER
      containers:
        - name: main
          image: example.com/app:1
          resources: {limits: LIMITS}
"""


def said(
    scheduler: str, key: str, value: str, limits: str = "{}", code: str = "GPU705"
) -> list[str]:
    text = POD.replace("KEY", key).replace("VALUE", value).replace("SCHEDULER", scheduler)
    found = raised(text.replace("LIMITS", limits))
    return [str(one.found.note) for one in found if one.rule.code == code]


@pytest.mark.parametrize(
    ("scheduler", "key", "value", "right"),
    [
        ("kai-scheduler", "nvidia.com/gpu.memory", "8000Mi", 'annotation `gpu-memory: "8000"`'),
        ("kai-scheduler", "nvidia.com/gpu.memory", "8000", 'annotation `gpu-memory: "8000"`'),
        ("kai-scheduler", "nvidia.com/gpu.memory", "8Gi", 'annotation `gpu-memory: "8192"`'),
        ("kai-scheduler", "nvidia.com/gpumem", "8000", 'annotation `gpu-memory: "8000"`'),
        ("hami-scheduler", "nvidia.com/gpu.memory", "8000Mi", "`nvidia.com/gpumem: 8000`"),
    ],
)
def test_the_key_that_the_scheduler_reads(scheduler: str, key: str, value: str, right: str) -> None:
    (note,) = said(scheduler, key, value)
    assert right in note


@pytest.mark.parametrize(
    ("scheduler", "value", "limits"),
    [
        ("default-scheduler", "8000Mi", "{}"),
        ("kai-scheduler", "lots", "{}"),
        ("kai-scheduler", "8000Mi", "{nvidia.com/gpu: 1}"),
    ],
)
def test_no_share_is_known_to_be_meant(scheduler: str, value: str, limits: str) -> None:
    (note,) = said(scheduler, "nvidia.com/gpu.memory", value, limits)
    assert "select nodes" in note


@pytest.mark.parametrize(
    ("scheduler", "key", "value", "right"),
    [
        ("hami-scheduler", "gpu-memory", "8000", "`nvidia.com/gpumem: 8000`"),
        ("hami-scheduler", "gpu-fraction", "0.5", "`nvidia.com/gpumem-percentage: 50`"),
        ("default-scheduler", "gpu-fraction", "0.5", "`schedulerName: kai-scheduler`"),
    ],
)
def test_kais_annotation_elsewhere(scheduler: str, key: str, value: str, right: str) -> None:
    (note,) = said(scheduler, key, value, code="GPU318")
    assert right in note


@pytest.mark.parametrize(
    ("limits", "right"),
    [
        ("{nvidia.com/gpumem: 4000}", 'annotation `gpu-memory: "4000"`'),
        ("{nvidia.com/gpumem-percentage: 25}", 'annotation `gpu-fraction: "0.25"`'),
    ],
)
def test_hamis_amounts_elsewhere(limits: str, right: str) -> None:
    (note,) = said("kai-scheduler", "team", "a", limits, code="GPU318")
    assert right in note
