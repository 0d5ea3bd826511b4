"""GPU795: beyond what its page shows."""

import pytest

from tests.lint.patched import of
from tests.lint.plain import an, text

V1 = "infrastructure.opendatahub.io/v1"
QUEUE = {"localQueueName": "gpu"}
TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists"}]


@pytest.mark.parametrize(
    ("version", "spec", "paths"),
    [
        (V1, {"nodeSelectors": {"a": "b"}, "tolerations": TAINT}, ["nodeSelectors", "tolerations"]),
        (
            V1,
            {"scheduling": {"type": "Node", "node": {}, "nodeSelector": {"a": "b"}}},
            ["scheduling.nodeSelector"],
        ),
        (V1, {"scheduling": {"type": "Queue", "kueue": QUEUE, "node": {}}}, ["scheduling.node"]),
        (V1, {"scheduling": {"type": "Node", "node": {}, "kueue": QUEUE}}, ["scheduling.kueue"]),
        (V1, {"scheduling": {"type": "Queue"}}, ["scheduling.type"]),
        (V1, {"scheduling": {"type": "${TYPE}", "node": {}}}, []),
        (V1, {"scheduling": {"type": "Node", "node": {"tolerations": TAINT}}}, []),
        (V1, {"tolerations": []}, []),
        ("dashboard.opendatahub.io/v1alpha1", {"tolerations": TAINT}, []),
    ],
)
def test_fields_that_a_profile_does_not_have(
    version: str, spec: dict[str, object], paths: list[str]
) -> None:
    found = of("GPU795", text(an(version, "HardwareProfile", spec=spec)))
    assert sorted(one.path for one in found) == [f"spec.{path}" for path in paths]


def test_a_queue_says_where_pods_go() -> None:
    spec = {"tolerations": TAINT, "scheduling": {"type": "Queue", "kueue": {"localQueueName": "a"}}}
    (found,) = of("GPU795", text(an(V1, "HardwareProfile", spec=spec)))
    assert found.note == "remove the field: the ResourceFlavor of the queue selects the nodes"
