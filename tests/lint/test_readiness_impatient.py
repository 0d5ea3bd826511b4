"""GPU921: beyond what its page shows."""

from pathlib import Path

import pytest
import yaml

from tests.lint.pages import raised

SERVER = (Path(__file__).parent / "bases/deployment.yaml").read_text()


def said(**changed: object) -> list[str]:
    value, *rest = yaml.safe_load_all(SERVER)
    probe = value["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]
    probe.update(changed)
    found = raised(yaml.safe_dump_all([value, *rest]))
    return [one.found.message for one in found if one.rule.code == "GPU921"]


def test_a_second_is_what_kubernetes_waits_when_nothing_is_said() -> None:
    (message,) = said(failureThreshold=1, timeoutSeconds=None)
    assert message.startswith("one answer slower than 1 s removes this server from its Service")


@pytest.mark.parametrize("changed", [{"timeoutSeconds": 1}, {"failureThreshold": 1}])
def test_either_is_enough(changed: dict[str, object]) -> None:
    assert said(**{"timeoutSeconds": 5, "failureThreshold": 3, **changed}) == []
