"""GPU784: beyond what its page shows."""

from typing import Any

import pytest
import yaml

from tests.lint.pages import raised
from tests.lint.sets import base

PROBE = {"tcpSocket": {"port": 5000}}


def said(one: Any) -> list[str]:
    found = [each.finding() for each in raised(yaml.safe_dump(one)) if each.rule.code == "GPU784"]
    return [each.path for each in found]


def _in_order(kind: str, how: str) -> Any:
    """A second part of a JobSet or a Volcano Job, which is made after the first."""
    one = base(kind)
    field = "replicatedJobs" if kind == "jobset" else "tasks"
    first = one["spec"][field][0]
    second = yaml.safe_load(yaml.safe_dump(first)) | {"name": "second"}
    match how:
        case "InOrder":
            one["spec"]["startupPolicy"] = {"startupPolicyOrder": how}
        case "Ready" | "Complete":
            second["dependsOn"] = [{"name": first["name"], "status": how}]
        case _:
            second["dependsOn"] = {"name": [first["name"]]}
    one["spec"][field].append(second)
    return one


def _containers(one: Any) -> Any:
    spec = one["spec"]
    template = (spec.get("replicatedJobs") or spec["tasks"])[0]["template"]
    return template["spec"].get("template", template)["spec"]["containers"]


@pytest.mark.parametrize(
    ("kind", "how", "where"),
    [
        ("jobset", "InOrder", ["spec.startupPolicy.startupPolicyOrder"]),
        ("jobset", "Ready", ["spec.replicatedJobs[1].dependsOn[0].status"]),
        ("jobset", "Complete", []),
        ("volcano", "by name", ["spec.tasks[1].dependsOn.name[0]"]),
    ],
)
def test_who_is_waited_for_until_ready(kind: str, how: str, where: list[str]) -> None:
    one = _in_order(kind, how)
    assert said(one) == where
    _containers(one)[0]["startupProbe"] = PROBE
    assert said(one) == []


def test_a_leader_that_is_ready_when_it_runs() -> None:
    one = base("leaderworkerset", {"spec": {"startupPolicy": "LeaderReady"}})
    containers = one["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"]["containers"]
    containers[0]["readinessProbe"] = containers[0]["startupProbe"] = None
    assert said(one) == ["spec.startupPolicy"]
    one["spec"]["startupPolicy"] = "LeaderCreated"
    assert said(one) == []


def test_a_sidecar_that_becomes_ready_is_enough() -> None:
    one = _in_order("jobset", "Ready")
    _containers(one).append({"name": "exporter", "image": "x", "readinessProbe": PROBE})
    assert said(one) == []
