"""Changes of a pod that decide which nodes it may go to, whatever runs there."""

from __future__ import annotations

from random import Random

from tests.control_plane.pods.pieces import ZONE, Change, Object, pin, require


def cordons(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Whether it tolerates that a node is cordoned."""
    if rng.random() < 0.5:
        tolerate_cordons(made["spec"])


def tolerate_cordons(spec: Object) -> None:
    """Let it go to nodes that are cordoned."""
    row: Object = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    spec["tolerations"] = [*spec.get("tolerations", ()), row]


def taints(rng: Random, made: Object, nodes: list[Object]) -> None:
    """The taints that it tolerates."""
    rows: list[Object] = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present"},
        {"key": "nvidia.com/gpu", "value": "absent", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"},
        {"key": "team", "value": "a", "effect": "NoSchedule"},
        {"key": "team", "value": "b", "effect": "NoSchedule"},
        {"key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60},
        {"key": "broken", "operator": "Equal", "effect": "NoExecute"},
        {"operator": "Exists", "effect": "NoExecute"},
        {"operator": "Exists"},
    ]
    made["spec"]["tolerations"] = rng.sample(rows, rng.randint(0, 4))


def selector(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Labels of a node, or of none."""
    labels = rng.choice(nodes)["metadata"]["labels"]
    keys = [key for key in labels if rng.random() < 0.4]
    wrong = {"rack": "9", "pool": "z", ZONE: "z"}
    made["spec"]["nodeSelector"] = {
        key: wrong.get(key, labels[key]) if rng.random() < 0.2 else labels[key] for key in keys
    }


def _expression(rng: Random, nodes: list[Object]) -> Object:
    labels = rng.choice(nodes)["metadata"]["labels"]
    key = rng.choice((*labels, "size", "rack", "fast", "none"))
    value = labels.get(key, rng.choice(("1", "b", "true")))
    operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in ("Gt", "Lt"):
        return {"key": "size", "operator": operator, "values": [rng.choice(("0", "1", "2", "39"))]}
    if operator in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": operator}
    return {"key": key, "operator": operator, "values": sorted({value, rng.choice("abpq123")})}


def affinity(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Expressions on labels."""
    terms: list[Object] = [
        {"matchExpressions": [_expression(rng, nodes) for _ in range(rng.randint(1, 3))]}
        for _ in range(rng.randint(1, 2))
    ]
    if rng.random() < 0.1:
        terms.append({})
    if rng.random() < 0.1:
        terms[0]["matchFields"] = [_field(rng, nodes, "NotIn")]
    require(made["spec"], terms)


def by_name(rng: Random, made: Object, nodes: list[Object]) -> None:
    """The node's name, by its field: in every term, in conflict, or not at all."""
    fields = [_field(rng, nodes, rng.choice(("In", "In", "In", "NotIn")))]
    if rng.random() < 0.3:
        fields.append(_field(rng, nodes, "In"))
    terms: list[Object] = [{"matchFields": fields}]
    if rng.random() < 0.4:
        terms.append({"matchFields": [_field(rng, nodes, "In")]})
    if rng.random() < 0.2:
        terms[0]["matchExpressions"] = [_expression(rng, nodes)]
    require(made["spec"], terms)


def _field(rng: Random, nodes: list[Object], operator: str) -> Object:
    name = rng.choice([node["metadata"]["name"] for node in nodes] + ["gone"])
    return {"key": "metadata.name", "operator": operator, "values": [name]}


def slot(rng: Random, made: Object, nodes: list[Object]) -> None:
    """Nothing of a pod changes its pod slot, so its node does."""
    pin(made["spec"], [rng.choice(nodes)["metadata"]["name"]])


def claims(*names: str) -> Change:
    """Claims of volumes."""

    def change(rng: Random, made: Object, nodes: list[Object]) -> None:
        chosen = rng.sample(names, rng.choice((1, 1, 2)))
        made["spec"]["volumes"] = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in chosen
        ]

    return change
