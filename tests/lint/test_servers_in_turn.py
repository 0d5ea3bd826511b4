"""GPU522: beyond what its page shows."""

import pytest
import yaml

from tests.lint.pages import raised
from tests.lint.sets import base

VLLM = ["vllm", "serve", "/models/qwen3-8b"]


def severities(**spec: object) -> list[str]:
    """What is said of four servers that are made in order."""
    one = base("statefulset")
    one["spec"] |= {"replicas": 4, "podManagementPolicy": "OrderedReady"} | spec
    found = raised(yaml.safe_dump(one))
    return [each.finding().severity for each in found if each.rule.code == "GPU522"]


def test_two_that_load_in_turn_are_no_more_than_information() -> None:
    assert severities() == ["warning"]
    assert severities(replicas=2) == ["info"]
    assert severities(replicas=1) == []
    assert severities(podManagementPolicy=None) == ["warning"]


@pytest.mark.parametrize(
    ("command", "probed", "said"),
    [
        (VLLM, True, ["warning"]),
        (VLLM, False, []),
        (["ollama", "serve"], True, []),
        (["python", "notebook.py"], True, []),
    ],
)
def test_only_what_is_ready_when_it_has_loaded(
    command: list[str], probed: bool, said: list[str]
) -> None:
    template = base("statefulset")["spec"]["template"]
    container = template["spec"]["containers"][0]
    container |= {"command": command, "args": []}
    if not probed:
        container["startupProbe"] = container["readinessProbe"] = None
    assert severities(template=template) == said
