"""The comparison of what was sent with what is stored sees what is gone or changed."""

from typing import Any

import pytest

from tests.control_plane.readback import lost

POD: dict[str, Any] = {
    "spec": {
        "containers": [{"name": "main", "command": ["a", "b"], "ports": [{"containerPort": 80}]}],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "count": 1,
    }
}
FILLED: dict[str, Any] = {
    "spec": {
        "containers": [
            {"name": "injected"},
            {
                "name": "main",
                "command": ["a", "b"],
                "ports": [{"containerPort": 80, "protocol": "TCP"}],
            },
        ],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}, {"key": "more"}],
        "count": 1,
        "priority": 0,
    }
}


def test_what_is_added_is_fine() -> None:
    assert list(lost(POD, FILLED)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"spec": {**POD["spec"], "gate": True}}, "spec.gate: True is gone"),
        ({"spec": {"count": "1"}}, "spec.count: '1' became 1"),
        ({"spec": {"count": True}}, "spec.count: True became 1"),
        (
            {"spec": {"containers": [{"name": "main", "command": ["a", "c"]}]}},
            "spec.containers[0].command[1]: 'c' became 'b'",
        ),
        (
            {"spec": {"tolerations": [{"key": "a"}, {"key": "b"}, {"key": "c"}]}},
            "spec.tolerations: 3 items became 2",
        ),
    ],
)
def test_what_is_gone_or_changed_is_said(change: dict[str, Any], said: str) -> None:
    assert list(lost(change, FILLED)) == [said]
