"""Changes of a pod that decide how it gets on with others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.control_plane.pods.pieces import REQUIRED, TOPOLOGIES, Change, Object, labels_of


def spread(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Topology spread constraints."""
    rows: list[Object] = []
    for topology in rng.sample(TOPOLOGIES, rng.choice((1, 1, 2))):
        app = rng.choice(("x", "y", made["metadata"]["labels"]["app"]))
        row: Object = {
            "topologyKey": topology,
            "maxSkew": rng.choice((1, 1, 2)),
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": app}} if rng.random() < 0.9 else {},
        }
        rows.append(row)
    made["spec"]["topologySpreadConstraints"] = rows
    for change in (domains, policies, spread_keys):
        if rng.random() < 0.3:
            change(rng, made, nodes)


def even(rng: Random, made: Object, nodes: list[Object]) -> None:
    """A plain constraint, to be refined."""
    labels = {"app": made["metadata"]["labels"]["app"]}
    row = {"topologyKey": rng.choice(TOPOLOGIES[1:]), "maxSkew": 1}
    more = {"whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": labels}}
    made["spec"]["topologySpreadConstraints"] = [row | more]


def domains(rng: Random, made: Object, nodes: list[Object]) -> None:
    """How many domains there must be."""
    for row in made["spec"]["topologySpreadConstraints"]:
        row["minDomains"] = rng.choice((1, 2, 4, 5))


def policies(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Which nodes count."""
    for row in made["spec"]["topologySpreadConstraints"]:
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            row[policy] = rng.choice(("Honor", "Ignore"))


def spread_keys(rng: Random, made: Object, nodes: list[Object]) -> None:
    """The labels in which pods must be like this one to count."""
    for row in made["spec"]["topologySpreadConstraints"]:
        row["matchLabelKeys"] = rng.choice((["tier"], []))


def _term(rng: Random) -> Object:
    term: Object = {"topologyKey": rng.choice(TOPOLOGIES)}
    app = rng.choice("xyz")
    term["labelSelector"] = rng.choice(
        (
            {"matchLabels": {"app": app}},
            {"matchExpressions": [{"key": "app", "operator": "In", "values": [app, "w"]}]},
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]},
            {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
            {},
        )
    )
    if rng.random() < 0.4:
        term |= spaces(rng)
    if rng.random() < 0.25:
        term |= alike(rng)
    return term


def spaces(rng: Random) -> Object:
    """Whose pods a term means."""
    return rng.choice(
        (
            {},
            {"namespaces": ["team-b"]},
            {"namespaces": ["team-a", "team-b"]},
            {"namespaceSelector": {}},
            {"namespaceSelector": {"matchLabels": {"team": "b"}}},
            {"namespaceSelector": {"matchExpressions": [{"key": "kind", "operator": "Exists"}]}},
            {"namespaces": ["team-b"], "namespaceSelector": {"matchLabels": {"team": "a"}}},
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "team-b"}}},
        )
    )


def alike(rng: Random) -> Object:
    """The labels in which pods must be like this one, or differ from it."""
    return rng.choice(({}, {"matchLabelKeys": ["tier"]}, {"mismatchLabelKeys": ["tier"]}))


def one_apart(rng: Random, made: Object, nodes: list[Object]) -> None:
    """One plain anti-affinity, to be refined."""
    labels = {"app": rng.choice("xyz")}
    term = {"topologyKey": rng.choice(TOPOLOGIES), "labelSelector": {"matchLabels": labels}}
    made["metadata"]["labels"]["tier"] = rng.choice("12")
    made["spec"].setdefault("affinity", {})["podAntiAffinity"] = {REQUIRED: [term]}


def of_term(refine: Callable[[Random], Object]) -> Change:
    """A refinement of its anti-affinity."""

    def change(rng: Random, made: Object, nodes: list[Object]) -> None:
        for term in made["spec"]["affinity"]["podAntiAffinity"][REQUIRED]:
            term |= refine(rng)

    return change


def near(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Pods to be near to."""
    terms = [_term(rng) for _ in range(rng.choice((1, 1, 2)))]
    made["spec"].setdefault("affinity", {})["podAffinity"] = {REQUIRED: terms}


def apart(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Pods to keep away from."""
    terms = [_term(rng) for _ in range(rng.choice((1, 1, 2)))]
    made["spec"].setdefault("affinity", {})["podAntiAffinity"] = {REQUIRED: terms}


def known_by(rng: Random, made: Object, nodes: list[Object]) -> None:
    """The labels and the namespace by which others keep it away."""
    made["metadata"]["labels"] = labels_of(rng)
    made["metadata"]["namespace"] = rng.choice(("team-a", "team-b"))
