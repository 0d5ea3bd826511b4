"""GPU787: beyond what its page shows."""

from typing import Any

import pytest

from tests.lint.sets import base, lint


def beside(labels: dict[str, str], *others: Any, **more: Any) -> list[str]:
    """What is said of a server that has to be beside pods with some labels."""
    one = base("deployment")
    term = {
        "topologyKey": "topology.kubernetes.io/zone",
        "labelSelector": {"matchLabels": labels},
        **more,
    }
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    one["spec"]["template"]["spec"]["affinity"] = {"podAffinity": rule}
    return [each.message for each in lint(one, *others) if each.rule == "GPU787"]


def cache(**labels: str) -> Any:
    container = {"name": "main", "image": "a/b:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "cache", "namespace": "serving", "labels": labels},
        "spec": {"containers": [container]},
    }


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"app": "weights-cache"}, False),
        ({"app": "weights-cash"}, True),
        ({"name": "weights-cache"}, True),
        ({"app": "something-else"}, False),
        ({"app": "chat"}, False),
    ],
)
def test_who_is_nearly_meant(labels: dict[str, str], told: bool) -> None:
    assert bool(beside(labels, cache(app="weights-cache"))) is told


def test_pods_elsewhere_are_not_known() -> None:
    assert beside({"app": "weights-cash"}) == []
    near = cache(app="weights-cache")
    assert beside({"app": "weights-cash"}, near, namespaces=["other"]) == []
    near["metadata"]["namespace"] = "other"
    assert beside({"app": "weights-cash"}, near) == []
