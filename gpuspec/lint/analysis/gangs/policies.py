"""NetworkPolicies between pods: the traffic that they surely deny.

Source: Kubernetes, Network Policies, and the API reference of networking.k8s.io/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.manifests.values import items, mapping, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

Direction = Literal["Ingress", "Egress"]
Passed = Literal["all", "ports", "none"]
"""The traffic from one pod to another: everything, some ports, nothing."""

_SIDES = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}
# Labels that controllers put onto pods, which no manifest has.
_GIVEN = (
    *("job-name", "controller-uid", "batch.kubernetes.io/", "apps.kubernetes.io/"),
    *("statefulset.kubernetes.io/", "jobset.sigs.k8s.io/", "leaderworkerset.sigs.k8s.io/"),
    *("training.kubeflow.org/", "ray.io/", "volcano.sh/", "app.kubernetes.io/created-by"),
)

# Those of them whose value is certainly the object's name. A Job with `manualSelector` gives none.
_NAMED_BY = {
    ("jobset.x-k8s.io", "JobSet"): ("jobset.sigs.k8s.io/jobset-name",),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): ("leaderworkerset.sigs.k8s.io/name",),
    ("ray.io", "RayCluster"): ("ray.io/cluster",),
}


class PolicySelection(msgspec.Struct, frozen=True):
    """The labels and namespace by which a policy selects a pod."""

    namespace: str
    labels: Mapping[str, Any]
    known: bool = True
    """Whether its labels are complete, apart from those that controllers add."""

    @classmethod
    def of(cls, pod: Pod) -> PolicySelection:
        """Return a pod as written: one without metadata gets its labels elsewhere."""
        return cls(
            pod.object.namespace,
            {**_given_labels(pod.object), **pod.labels},
            pod.metadata_path is not None,
        )


class PolicyPort(msgspec.Struct, frozen=True):
    """A port of a pod in the forms that a policy can have."""

    number: int
    """The number; 0 if unknown."""
    names: frozenset[str] = frozenset()


def isolating(pod: PolicySelection, direction: Direction, collection: Collection) -> list[Object]:
    """Return the policies that certainly apply to a pod in one direction."""
    return [
        policy
        for policy in _policies(pod, collection)
        if _holds(policy, pod, direction) and _selects(policy.spec.get("podSelector"), pod) is True
    ]


def passed(
    target: PolicySelection, selected: PolicySelection, direction: Direction, collection: Collection
) -> Passed:
    """Return the traffic between an isolated pod and another one; unknown traffic counts as
    allowed."""
    verdict: Passed = "none"
    for rule in _rules_for(target, direction, collection):
        if rule is None:
            return "all"
        if not _has_peer(rule, direction, lambda peer, _: _may_be(peer, selected)):
            continue
        if not _is_narrow(rule.value):
            return "all"
        verdict = "ports"
    return verdict


def lets(
    target: PolicySelection,
    direction: Direction,
    is_peer: Callable[[dict[str, Any], str], bool],
    port: PolicyPort,
    collection: Collection,
) -> bool:
    """Return whether policies may allow one port between an isolated pod and a peer. `is_peer` is
    called with a rule's peer and the policy's namespace. Unknown traffic counts as allowed."""
    return any(
        rule is None or (_has_peer(rule, direction, is_peer) and _has_port(rule.value, port))
        for rule in _rules_for(target, direction, collection)
    )


def may_be(peer: dict[str, Any], home: str, selected: PolicySelection) -> bool:
    """Return whether the peer in a policy of a namespace may be a pod."""
    foreign = bool(home and selected.namespace and home != selected.namespace)
    if foreign and not {"namespaceSelector", "ipBlock"} & peer.keys():
        return False
    return _may_be(peer, selected)


def lets_dns(target: PolicySelection, ports: frozenset[int], collection: Collection) -> bool:
    """Return whether a rule for egress allows a pod's DNS requests. `ports`: possible ports of the
    cluster's DNS."""
    return any(
        _reaches_dns(rule, ports)
        for policy in _policies(target, collection)
        if _holds(policy, target, "Egress")
        and _selects(policy.spec.get("podSelector"), target) is not False
        for rule in _rules(policy, "Egress")
    )


def _reaches_dns(rule: dict[str, Any], ports: frozenset[int]) -> bool:
    """Return whether a rule allows the port to pods outside of its own namespace."""
    peers = [mapping(peer) for peer in items(rule.get("to"))]
    away = not peers or any("namespaceSelector" in peer or "ipBlock" in peer for peer in peers)
    return away and (
        not _is_narrow(rule) or any(_is_one(mapping(port), ports) for port in items(rule["ports"]))
    )


def _given_labels(obj: Object) -> dict[str, str]:
    """Return the labels with the object's own name that its controller adds to its pods."""
    if not obj.name:
        return {}
    return dict.fromkeys(_NAMED_BY.get((obj.group, obj.kind), ()), obj.name)


def _holds(obj: Object, pod: PolicySelection, direction: Direction) -> bool:
    if obj.namespace != pod.namespace:
        return False
    types = items(obj.spec.get("policyTypes"))
    if types:
        return direction in types
    return direction == "Ingress" or "egress" in obj.spec


def _policies(pod: PolicySelection, collection: Collection) -> list[Object]:
    return collection.within("networking.k8s.io", "NetworkPolicy", pod.namespace)


class _Rule(msgspec.Struct, frozen=True):
    home: str
    """The namespace of its policy."""
    value: dict[str, Any]


def _rules_for(
    target: PolicySelection, direction: Direction, collection: Collection
) -> Iterator[_Rule | None]:
    """Yield the rules of all policies that apply to a pod; None for a policy that may apply."""
    for policy in _policies(target, collection):
        selected = _selects(policy.spec.get("podSelector"), target)
        if not _holds(policy, target, direction) or selected is False:
            continue
        if selected is None:
            yield None
        else:
            yield from (_Rule(policy.namespace, rule) for rule in _rules(policy, direction))


def _rules(obj: Object, direction: Direction) -> Iterator[dict[str, Any]]:
    yield from map(mapping, items(obj.spec.get(_SIDES[direction][0])))


def _has_peer(
    rule: _Rule, direction: Direction, is_peer: Callable[[dict[str, Any], str], bool]
) -> bool:
    peers = items(rule.value.get(_SIDES[direction][1]))
    return not peers or any(is_peer(mapping(peer), rule.home) for peer in peers)


def _has_port(rule: dict[str, Any], port: PolicyPort) -> bool:
    ports = [mapping(rule_port) for rule_port in items(rule.get("ports"))]
    return not ports or any(_is_port(allowed_port, port) for allowed_port in ports)


def _is_port(allowed_port: dict[str, Any], port: PolicyPort) -> bool:
    first = allowed_port.get("port")
    if first is None or not port.number:
        return True
    if isinstance(first, str):
        return not port.names or first in port.names
    least = whole(first)
    most = whole(allowed_port.get("endPort"), least)
    return least is None or most is None or least <= port.number <= most


def _may_be(peer: dict[str, Any], selected: PolicySelection) -> bool:
    if "ipBlock" in peer:
        return True
    if "namespaceSelector" in peer and _is_foreign(peer["namespaceSelector"], selected):
        return False
    return "podSelector" not in peer or _selects(peer["podSelector"], selected) is not False


def _is_foreign(selector: object, selected: PolicySelection) -> bool:
    name = mapping(mapping(selector).get("matchLabels")).get("kubernetes.io/metadata.name")
    return bool(name and selected.namespace and name != selected.namespace)


def _selects(selector: object, pod: PolicySelection) -> bool | None:
    """Return whether a selector selects a pod; None if unknown."""
    selector_map = mapping(selector)
    sure: bool | None = None if selector_map.get("matchExpressions") else True
    for key, value in mapping(selector_map.get("matchLabels")).items():
        if key in pod.labels:
            if str(pod.labels[key]) != str(value):
                return False
        elif str(key).startswith(_GIVEN) or not pod.known:
            sure = None
        else:
            return False
    return sure


def _is_narrow(rule: dict[str, Any]) -> bool:
    """Return whether a rule allows only single ports."""
    ports = [mapping(port) for port in items(rule.get("ports"))]
    return bool(ports) and all("port" in port and "endPort" not in port for port in ports)


def _is_one(port: dict[str, Any], numbers: frozenset[int]) -> bool:
    number = port.get("port")
    return (
        number is None or isinstance(number, str) or whole(number) in numbers or "endPort" in port
    )
