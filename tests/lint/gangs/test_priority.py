"""C-38: who may end whom."""

from typing import Any

from tests.lint.gangs.sets import base, codes, lint
from tests.lint.pages import merge


def priority(name: str, value: int, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


def test_experiments_stay_below_servers() -> None:
    """C-38: a run may not end a server; one that preempts nobody, or stands below, is fine."""
    run = base("job", {"spec": {"template": {"spec": {"priorityClassName": "runs"}}}})
    server = base("deployment")
    assert codes(lint(priority("runs", 100), server, run)) == ["GPU751"]
    assert lint(priority("runs", 100, preemptionPolicy="Never"), server, run) == []
    assert lint(priority("runs", -1), server, run) == []
    default = priority("usual", 1000, globalDefault=True)
    assert lint(priority("runs", 100), default, server, run) == []
    known = merge(server, {"spec": {"template": {"spec": {"priorityClassName": "elsewhere"}}}})
    assert lint(priority("runs", 100), known, run) == []
