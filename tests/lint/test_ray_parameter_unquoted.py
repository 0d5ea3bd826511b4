"""GPU871: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

GROUP = """\
apiVersion: ray.io/v1
kind: {kind}
metadata: {{name: serve, namespace: ml}}
spec:
  {field}:
    workerGroupSpecs:
      - groupName: npu
        rayStartParams: {{resources: {value}}}
"""


def codes(kind: str, field: str, value: str) -> list[str]:
    text = GROUP.format(kind=kind, field=field, value=json.dumps(value))
    return [one.rule.code for one in raised(text)]


@pytest.mark.parametrize(
    ("kind", "field"), [("RayJob", "rayClusterSpec"), ("RayService", "rayClusterConfig")]
)
def test_workers_of_any_kind_are_looked_at(kind: str, field: str) -> None:
    assert "GPU871" in codes(kind, field, '{"NPU":1}')


@pytest.mark.parametrize("value", ["'{\"NPU\": 1}'", '"{\\"NPU\\": 1}"', "2", "$RESOURCES", "{}"])
def test_what_the_shell_hands_on_whole_is_right(value: str) -> None:
    assert "GPU871" not in codes("RayJob", "rayClusterSpec", value)
