"""Routes to servers: their rules, their backends, and their timeouts."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import runtimes
from gpuspec.kinds import mappings_at
from gpuspec.kinds.references import GATEWAY
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.runtimes.gateways import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.runtimes.gateways import RouteKind, TimeoutLimit

_WORD = re.compile(r"[a-z0-9]+")
_GENERATE = frozenset({"llm", "llms", "vllm", "sglang", "ollama", "tgi", "llamacpp"})
"""Words in names that suggest generated text."""
_OTHERS = ("embed", "rerank")
"""Words for other models on the same servers, whose answers are short."""
_CLASS = "kubernetes.io/ingress.class"


class RoutePart(msgspec.Struct, frozen=True):
    """A part of a route with a timeout and backends of its own."""

    inside: Path
    """Its path from the object."""
    value: dict[str, Any]

    def path(self, route: Object, *steps: str | int) -> Path:
        """Return the path of one of its fields, from the document's root."""
        return route.path(*self.inside, *steps)


def rules_of(route: Object, row: RouteKind) -> Iterator[RoutePart]:
    """Yield the rules of a route."""
    for path, value in mappings_at(route.value, (row.rules,)):
        yield RoutePart(path, value)


def generates(route: Object, part: RoutePart, row: RouteKind, collection: Collection) -> bool:
    """Return whether a server that generates text answers, certainly or by its name."""
    backends = [backend_value for _, backend_value in mappings_at(part.value, (row.backends,))]
    backend_names = [name for backend in backends if (name := text(backend.get(row.name)))]
    words = " ".join((route.name, *backend_names, *_hosts(route, row))).lower()
    if any(word in words for word in _OTHERS):
        return False
    if row.generates or any(backend.get("kind") == "InferencePool" for backend in backends):
        return True
    pods = (
        pod
        for name in backend_names
        for service in _services(name, route, collection)
        for pod in collection.selected(service.namespace, selector(service)).pods
    )
    images = [image for pod in pods for image in pod.images]
    if images:
        return any(map(_generates, images))
    return not _GENERATE.isdisjoint(_WORD.findall(words))


def _hosts(route: Object, row: RouteKind) -> Iterator[str]:
    outer, _, field = row.hosts.rpartition(".")
    for _, holder in mappings_at(route.value, (outer,)) if field else ():
        hosts = holder.get(field)
        yield from (host for host in (hosts, *items(hosts)) if isinstance(host, str))


def _services(name: str, route: Object, collection: Collection) -> Iterator[Object]:
    """Yield the Services of a name or a host."""
    first, _, rest = name.partition(".")
    namespace = rest.partition(".")[0] or route.namespace
    for service in collection.all_named("", "Service", first, namespace):
        if selector(service):
            yield service


def _generates(image: str) -> bool:
    name = runtimes.recognise(image)
    return (
        name is not None
        and runtimes.get(name).generates
        and not any(word in image for word in _OTHERS)
    )


def limits_of(route: Object, row: RouteKind, collection: Collection) -> list[TimeoutLimit] | None:
    """Return the timeout of a route without its own; None if unknown."""
    if row.limit is not None:
        return [row.limit]
    if row.ingress:
        name = text(route.spec.get("ingressClassName")) or text(route.annotations.get(_CLASS))
        return _of_class(limits().ingresses, "networking.k8s.io", "IngressClass", name, collection)
    if row.gateway:
        return _of_gateways(route, collection)
    return []


def _of_gateways(route: Object, collection: Collection) -> list[TimeoutLimit] | None:
    all_limits: list[TimeoutLimit] = []
    for parent in map(mapping, items(route.spec.get("parentRefs"))):
        if text(parent.get("kind")) not in ("", "Gateway"):
            return []
        namespace = text(parent.get("namespace")) or route.namespace
        gateway = collection.named(GATEWAY, "Gateway", text(parent.get("name")), namespace)
        if gateway is None:
            return None
        name = text(gateway.spec.get("gatewayClassName"))
        timeout_limits = _of_class(limits().gateways, GATEWAY, "GatewayClass", name, collection)
        if timeout_limits is None:
            return None
        all_limits += timeout_limits
    return all_limits


def _of_class(
    timeout_limits: Iterable[TimeoutLimit], group: str, kind: str, name: str, collection: Collection
) -> list[TimeoutLimit] | None:
    """Return the timeouts of a class: by its controller, or else by its name."""
    obj = collection.named(group, kind, name) if name else None
    if obj is not None:
        field = "controllerName" if kind == "GatewayClass" else "controller"
        controller = text(obj.spec.get(field))
        return [
            timeout_limit
            for timeout_limit in timeout_limits
            if controller in timeout_limit.controllers
        ]
    class_limits = [
        timeout_limit
        for timeout_limit in timeout_limits
        if any(fnmatchcase(name, class_) for class_ in timeout_limit.classes)
    ]
    return class_limits or None


def said_elsewhere(limit: TimeoutLimit, collection: Collection) -> bool:
    """Return whether a policy among these objects sets another timeout, perhaps for this route."""
    return any(
        at(obj.value, tuple(policy.said.split("."))) is not None
        for policy in limit.policies
        for obj in collection.of(policy.group, policy.kind)
    )
