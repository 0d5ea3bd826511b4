"""NetworkPolicies with the port of a Service, where traffic has the port of its pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.network.callers import port_of
from gpuspec.lint.analysis.serving.selecting import keeps_labels, selector
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.objects import Object
from gpuspec.objects.selectors import labels_of

RULE = Rule(
    "GPU948",
    "policy-port-of-service",
    "warning",
    "A NetworkPolicy allows a Service's port instead of the port of its pods",
    fix="unsafe",
)
_NAMESPACE = "kubernetes.io/metadata.name"


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield the ports of rules whose pods are in the set: the policy's own, or a peer's."""
    for policy in collection.of("networking.k8s.io", "NetworkPolicy"):
        own_labels = labels_of(policy.spec.get("podSelector"))
        for index, rule in enumerate(map(mapping, items(policy.spec.get("ingress")))):
            yield from _judge(
                policy, ("ingress", index), rule, policy.namespace, own_labels, collection
            )
        for index, rule in enumerate(map(mapping, items(policy.spec.get("egress")))):
            peers = [mapping(peer) for peer in items(rule.get("to"))]
            if len(peers) == 1 and "podSelector" in peers[0] and "ipBlock" not in peers[0]:
                namespace = _home(peers[0], policy)
                labels = labels_of(peers[0]["podSelector"])
                if namespace is not None:
                    yield from _judge(
                        policy, ("egress", index), rule, namespace, labels, collection
                    )


def _home(peer: dict[str, Any], policy: Object) -> str | None:
    """Return the namespace of a peer; None if it is unknown."""
    if "namespaceSelector" not in peer:
        return policy.namespace
    return labels_of(peer["namespaceSelector"]).get(_NAMESPACE)


def _judge(
    policy: Object,
    at: tuple[str, int],
    rule: dict[str, Any],
    namespace: str,
    labels: dict[str, str],
    collection: Collection,
) -> Iterator[RawFinding]:
    pods = collection.selected(namespace, labels).pods if labels else []
    if not pods or not all(map(keeps_labels, pods)):
        return
    allowed = [mapping(port) for port in items(rule.get("ports"))]
    for index, port in enumerate(allowed):
        number = whole(port.get("port"))
        if number is None or "endPort" in port or any(_may_listen(pod, number) for pod in pods):
            continue
        match = _service(pods, number, namespace, collection)
        if match is None or _allows(policy, at[0], match[1]):
            continue
        service, target = match
        path = policy.path("spec", *at, "ports", index, "port")
        yield RawFinding(
            path,
            f"the policy names port {number} of Service `{service.name}`, but its pods listen on "
            f"{target}: a policy counts only the pods' ports, and connections time out",
            note=f"write {target}",
            confidence="likely",
            object=policy.number,
            related=(
                RelatedPlace(service.number, service.path("spec", "ports"), "the Service's ports"),
                RelatedPlace(pods[0].object, pods[0].path, f"its pods: {_ports(pods[0])}"),
            ),
            fix=set_field(path, target),
        )


def _may_listen(pod: PodFacts, number: int) -> bool:
    return (
        pod.is_open
        or number in pod.listens
        or number in {listed_port for _, listed_port in pod.ports}
    )


def _ports(pod: PodFacts) -> str:
    return listed(
        [
            str(number)
            for number in sorted({listed_port for _, listed_port in pod.ports if listed_port})
        ]
    )


def _service(
    pods: list[PodFacts], number: int, namespace: str, collection: Collection
) -> tuple[Object, int] | None:
    """Return a Service of all the pods with a port, and its target port."""
    for service in collection.within("", "Service", namespace):
        labels = selector(service)
        if not labels or not all(labels.items() <= pod.labels.items() for pod in pods):
            continue
        for port in map(mapping, items(service.spec.get("ports"))):
            if whole(port.get("port")) == number:
                target = port_of(pods[0], port).number
                if (
                    target
                    and target != number
                    and any(target == listed_port for _, listed_port in pods[0].ports)
                ):
                    return service, target
    return None


def _allows(policy: Object, direction: str, number: int) -> bool:
    """Return whether any rule of a policy may allow a port."""
    for rule in map(mapping, items(policy.spec.get(direction))):
        ports = [mapping(port) for port in items(rule.get("ports"))]
        if not ports or any(
            "endPort" in port or text(port.get("port")) or port.get("port") in (None, number)
            for port in ports
        ):
            return True
    return False
