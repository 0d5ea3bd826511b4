"""NetworkPolicies between pods: what they let through, as far as it can be told.

Source: Kubernetes, Network Policies, and the API reference of networking.k8s.io/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.manifests.values import items, mapping, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

Direction = Literal["Ingress", "Egress"]
Passed = Literal["all", "ports", "none"]
"""What goes from one pod to another: everything, some ports alone, nothing."""

_SIDES = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}
# Labels that controllers put onto pods, which no manifest has.
_GIVEN = (
    *("job-name", "controller-uid", "batch.kubernetes.io/", "apps.kubernetes.io/"),
    *("statefulset.kubernetes.io/", "jobset.sigs.k8s.io/", "leaderworkerset.sigs.k8s.io/"),
    *("training.kubeflow.org/", "ray.io/", "volcano.sh/", "app.kubernetes.io/created-by"),
)


class Selected(msgspec.Struct, frozen=True):
    """What a policy knows a pod by."""

    namespace: str
    labels: Mapping[str, Any]
    known: bool = True
    """Whether its labels are all that it will have, but for those that controllers give."""

    @classmethod
    def of(cls, pod: Pod) -> Selected:
        """A pod as it is written: one without metadata gets its labels elsewhere."""
        return cls(pod.object.namespace, pod.labels, pod.metadata_path is not None)


def isolating(pod: Selected, direction: Direction, collection: Collection) -> list[Object]:
    """The policies that certainly hold for a pod in one direction."""
    return [
        one
        for one in collection.of("networking.k8s.io", "NetworkPolicy")
        if _holds(one, pod, direction) and _selects(one.spec.get("podSelector"), pod) is True
    ]


def passed(
    target: Selected, other: Selected, direction: Direction, collection: Collection
) -> Passed:
    """What goes between a pod for which policies hold and another one; what is not known goes."""
    found: Passed = "none"
    for one in collection.of("networking.k8s.io", "NetworkPolicy"):
        selected = _selects(one.spec.get("podSelector"), target)
        if not _holds(one, target, direction) or selected is False:
            continue
        if selected is None:
            return "all"
        for rule in _rules(one, direction):
            if not _has_peer(rule, direction, other):
                continue
            if not _is_narrow(rule):
                return "all"
            found = "ports"
    return found


def lets_dns(target: Selected, ports: frozenset[int], collection: Collection) -> bool:
    """Whether a pod may ask for names, by any rule of what holds for its way out. `ports`: those on
    which the cluster's DNS may listen."""
    return any(
        _reaches_dns(rule, ports)
        for one in collection.of("networking.k8s.io", "NetworkPolicy")
        if _holds(one, target, "Egress")
        and _selects(one.spec.get("podSelector"), target) is not False
        for rule in _rules(one, "Egress")
    )


def _reaches_dns(rule: dict[str, Any], ports: frozenset[int]) -> bool:
    """Whether a rule lets the port through, to more than pods of the own namespace."""
    peers = [mapping(peer) for peer in items(rule.get("to"))]
    away = not peers or any("namespaceSelector" in peer or "ipBlock" in peer for peer in peers)
    return away and (
        not _is_narrow(rule) or any(_is_one(mapping(port), ports) for port in items(rule["ports"]))
    )


def _holds(one: Object, pod: Selected, direction: Direction) -> bool:
    if one.namespace != pod.namespace:
        return False
    types = items(one.spec.get("policyTypes"))
    if types:
        return direction in types
    return direction == "Ingress" or "egress" in one.spec


def _rules(one: Object, direction: Direction) -> Iterator[dict[str, Any]]:
    yield from map(mapping, items(one.spec.get(_SIDES[direction][0])))


def _has_peer(rule: dict[str, Any], direction: Direction, other: Selected) -> bool:
    peers = items(rule.get(_SIDES[direction][1]))
    return not peers or any(_may_be(mapping(peer), other) for peer in peers)


def _may_be(peer: dict[str, Any], other: Selected) -> bool:
    if "ipBlock" in peer:
        return True
    if "namespaceSelector" in peer and _is_foreign(peer["namespaceSelector"], other):
        return False
    return "podSelector" not in peer or _selects(peer["podSelector"], other) is not False


def _is_foreign(selector: object, other: Selected) -> bool:
    name = mapping(mapping(selector).get("matchLabels")).get("kubernetes.io/metadata.name")
    return bool(name and other.namespace and name != other.namespace)


def _selects(selector: object, pod: Selected) -> bool | None:
    """Whether a selector takes a pod; None where that cannot be told."""
    found = mapping(selector)
    sure: bool | None = None if found.get("matchExpressions") else True
    for key, value in mapping(found.get("matchLabels")).items():
        if key in pod.labels:
            if str(pod.labels[key]) != str(value):
                return False
        elif str(key).startswith(_GIVEN) or not pod.known:
            sure = None
        else:
            return False
    return sure


def _is_narrow(rule: dict[str, Any]) -> bool:
    """Whether it lets single ports through."""
    ports = [mapping(port) for port in items(rule.get("ports"))]
    return bool(ports) and all("port" in port and "endPort" not in port for port in ports)


def _is_one(port: dict[str, Any], wanted: frozenset[int]) -> bool:
    number = port.get("port")
    return number is None or isinstance(number, str) or whole(number) in wanted or "endPort" in port
