"""Callers that must reach pods, as objects of the set show: the API server, Prometheus, the gateway
of a route.

The place of such a caller is unknown, or known in part: every possible place counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds.references import GATEWAY
from gpuspec.lint.analysis.gangs.policies import PolicyPort
from gpuspec.lint.analysis.serving.monitors import GROUP as MONITORING
from gpuspec.lint.analysis.serving.monitors import pods_of, services_of
from gpuspec.lint.analysis.serving.selecting import POOL_GROUPS, selector, target_number
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.references import references_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection, PodFacts
    from gpuspec.objects.objects import Object

_NAMESPACE = "kubernetes.io/metadata.name"
_ADMISSION = "admissionregistration.k8s.io"
_HTTPS = 443
"""The default port of a Service for the API server."""
_TARGETS = {("", "Service"), *((group, "InferencePool") for group in POOL_GROUPS)}
_OTHERS = frozenset(
    {
        ("cilium.io", "CiliumNetworkPolicy"),
        ("cilium.io", "CiliumClusterwideNetworkPolicy"),
        ("crd.projectcalico.org", "GlobalNetworkPolicy"),
        ("crd.projectcalico.org", "NetworkPolicy"),
        ("policy.networking.k8s.io", "AdminNetworkPolicy"),
        ("policy.networking.k8s.io", "BaselineAdminNetworkPolicy"),
        ("policy.networking.k8s.io", "ClusterNetworkPolicy"),
        ("projectcalico.org", "GlobalNetworkPolicy"),
        ("projectcalico.org", "NetworkPolicy"),
    }
)


class Caller(msgspec.Struct, frozen=True):
    """A caller, and where it can run."""

    who: str
    homes: frozenset[str] | None
    """The possible namespaces of its pods; None if unknown."""
    is_pod: bool = True
    """Whether it has the labels of a pod."""


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call to pods that an object announces."""

    caller: Caller
    object: Object
    path: Path
    pods: tuple[PodFacts, ...]
    port: dict[str, Any] | str | int
    """A Service's port, or a pod's by name or number."""
    what: str
    """The purpose of the port, in words."""
    harm: str


def has_other_policies(collection: Collection) -> bool:
    """Return whether there are policies of another kind, which may allow more."""
    return not _OTHERS.isdisjoint(collection.kinds)


def calls(collection: Collection) -> Iterator[ExpectedCall]:
    """Yield all expected calls in the set."""
    yield from _of_server(collection)
    yield from _of_monitors(collection)
    yield from _of_routes(collection)


def port_of(pod: PodFacts, port: dict[str, Any] | str | int) -> PolicyPort:
    """Return a port of a pod by a Service's port, by its own name, or by its number."""
    number = target_number(port) if isinstance(port, dict) else port
    if number is None and isinstance(port, dict):
        number = text(port.get("targetPort"))
    if isinstance(number, str):
        numbers = {container_port for name, container_port in pod.ports if name == number}
        return PolicyPort(numbers.pop() if len(numbers) == 1 else 0, frozenset({number}))
    number_or_zero = number or 0
    return PolicyPort(
        number_or_zero,
        frozenset(
            name for name, container_port in pod.ports if name and container_port == number_or_zero
        ),
    )


def service_port(service: Object, port_name: str | int | None) -> dict[str, Any] | None:
    """Return the port of a Service by its name or number; its only one without a name or number."""
    ports = [mapping(port) for port in items(service.spec.get("ports"))]
    if port_name is None:
        return ports[0] if len(ports) == 1 else None
    number = read_whole(port_name) if isinstance(port_name, str) else port_name
    for port in ports:
        if whole(port.get("port")) == number or text(port.get("name")) == port_name:
            return port
    return None


def may_come_from(peer: dict[str, Any], home: str, caller: Caller, collection: Collection) -> bool:
    """Return whether the peer in a policy of a namespace may be a caller."""
    if "ipBlock" in peer:
        return True
    namespaces = peer.get("namespaceSelector")
    if namespaces is not None:
        namespace_name = text(mapping(mapping(namespaces).get("matchLabels")).get(_NAMESPACE))
        if namespace_name != home:
            return not namespace_name or caller.homes is None or namespace_name in caller.homes
    if caller.homes is not None and home not in caller.homes:
        return False
    match_labels = mapping(mapping(peer.get("podSelector")).get("matchLabels"))
    labels = {str(key): str(value) for key, value in match_labels.items()}
    # What selects pods of the set is there for them.
    return not labels or (caller.is_pod and not collection.selected(home, labels).pods)


def _of_server(collection: Collection) -> Iterator[ExpectedCall]:
    # Where it asks through a tunnel, the tunnel's end is a pod there.
    caller = Caller("the API server", frozenset({"kube-system"}), is_pod=False)
    kinds = (
        (_ADMISSION, "MutatingWebhookConfiguration"),
        (_ADMISSION, "ValidatingWebhookConfiguration"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
    )
    for group, kind in kinds:
        for obj in collection.of(group, kind):
            if kind.endswith("Configuration"):
                harm = "its admission requests fail, or skip the webhook after a wait"
            else:
                harm = "its requests fail"
            purpose = f"where {kind} `{obj.name}` sends its requests"
            yield from _to_pods(obj, caller, purpose, harm, _HTTPS, collection)


def _of_routes(collection: Collection) -> Iterator[ExpectedCall]:
    harm = "requests fail, or time out"
    for kind in ("HTTPRoute", "GRPCRoute"):
        for obj in collection.of(GATEWAY, kind):
            parents = [mapping(parent_ref) for parent_ref in items(obj.spec.get("parentRefs"))]
            if any(text(parent.get("kind")) not in ("", "Gateway") for parent in parents):
                continue  # a mesh's, of which any pod may be the client
            where = {text(parent.get("namespace")) or obj.namespace for parent in parents}
            caller = Caller("the gateway", frozenset(where) if all(where) and where else None)
            purpose = f"to which {kind} `{obj.name}` sends"
            yield from _to_pods(obj, caller, purpose, harm, None, collection)
    for obj in collection.of("networking.k8s.io", "Ingress"):
        purpose = f"to which Ingress `{obj.name}` sends"
        caller = Caller("the ingress controller", None)
        yield from _to_pods(obj, caller, purpose, harm, None, collection)


def _to_pods(
    obj: Object,
    caller: Caller,
    purpose: str,
    harm: str,
    default: int | None,
    collection: Collection,
) -> Iterator[ExpectedCall]:
    for ref in references_of(obj, _TARGETS):
        target = collection.named(ref.group, ref.kind, ref.name, ref.namespace)
        labels = {} if target is None else selector(target)
        if target is None or not labels:
            continue
        is_pool = ref.kind == "InferencePool"
        port = _pool_port(target) if is_pool else service_port(target, _asked(ref.keys, default))
        if port is not None:
            pods = tuple(collection.selected(target.namespace, labels).pods)
            yield ExpectedCall(caller, obj, ref.path, pods, port, purpose, harm)


def _pool_port(pool: Object) -> int | None:
    """Return the first port of a pool's pods that gets requests."""
    ports = [
        mapping(target_port).get("number") for target_port in items(pool.spec.get("targetPorts"))
    ]
    return next(filter(None, map(whole, (*ports, pool.spec.get("targetPortNumber")))), None)


def _asked(keys: tuple[tuple[str, Path], ...], default: int | None) -> str | int | None:
    return keys[0][0] if keys else default


def _of_monitors(collection: Collection) -> Iterator[ExpectedCall]:
    servers = [
        obj.namespace
        for kind in ("Prometheus", "PrometheusAgent")
        for obj in collection.of(MONITORING, kind)
    ]
    caller = Caller("Prometheus", frozenset(servers) if servers and all(servers) else None)
    fields = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}
    for kind, field in fields.items():
        for obj in collection.of(MONITORING, kind):
            for index, endpoint in enumerate(map(mapping, items(obj.spec.get(field)))):
                pods = tuple(pods_of(obj, collection, text(endpoint.get("port"))))
                port = _scraped(obj, endpoint, collection)
                if port is not None and pods:
                    path = obj.path("spec", field, index)
                    purpose = f"which {kind} `{obj.name}` makes it scrape"
                    yield ExpectedCall(
                        caller, obj, path, pods, port, purpose, "the pods' metrics are missing"
                    )


def _scraped(
    monitor: Object, endpoint: dict[str, Any], collection: Collection
) -> dict[str, Any] | str | int | None:
    for field in ("portNumber", "targetPort"):
        port = endpoint.get(field)
        if isinstance(port, int | str) and not isinstance(port, bool):
            return port
    name = text(endpoint.get("port"))
    if monitor.kind == "PodMonitor" or not name:
        return name or None
    services = services_of(monitor, collection)
    return next(filter(None, (service_port(service, name) for service in services)), None)
