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


def pair(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """What is said of two servers, of which each requires pods with some labels near."""
    servers = []
    for name, labels in (("prefill", first), ("decode", second)):
        one = base("deployment")
        one["metadata"]["name"] = name
        one["spec"]["selector"]["matchLabels"] = {"app": name}
        one["spec"]["template"]["metadata"]["labels"] = {"app": name}
        term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
        rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]} if labels else {}
        one["spec"]["template"]["spec"]["affinity"] = {"podAffinity": rule}
        servers.append(one)
    return [each.message for each in lint(*servers) if each.rule == "GPU787"]


def test_pods_that_wait_for_each_other() -> None:
    messages = pair({"app": "decode"}, {"app": "prefill"})
    assert len(messages) == 2
    assert all("none is placed first" in message for message in messages)


def test_one_of_them_may_be_placed_first() -> None:
    assert not pair({"app": "decode"}, {})
    assert not pair({"app": "decode"}, {"app": "decode"})
    assert not pair({"app": "prefill"}, {"app": "decode"})
