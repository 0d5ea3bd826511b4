"""A load balancer whose health check requests a path that a model server does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec import runtimes
from gpuspec.kinds import mappings_at
from gpuspec.kinds.references import GATEWAY
from gpuspec.lint.analysis.serving.routes import limits_of, rules_of
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.runtimes import gateways

if TYPE_CHECKING:
    from gpuspec.runtimes import Runtime
    from gpuspec.runtimes.gateways import TimeoutLimit

RULE = Rule(
    "GPU859",
    "health-check-asks-root",
    "warning",
    "A load balancer's health check asks for `/`, which the server does not answer",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield routes of gateways whose health check requests `/` from servers that do not serve it."""
    (row,) = (route for route in gateways.limits().routes if route.kind == "HTTPRoute")
    for route in collection.of(GATEWAY, "HTTPRoute"):
        limits = limits_of(route, row, collection) or ()
        asking = next((limit for limit in limits if limit.asks_root), None)
        if asking is None:
            continue
        for part in rules_of(route, row):
            for path, backend in mappings_at(part.value, (row.backends,)):
                server = _server(backend, route, collection)
                if server is not None and not _told(asking, text(backend.get("name")), collection):
                    yield _found(route, part.path(route, *path, "name"), asking, server)


def _server(backend: dict[str, Any], route: Object, collection: Collection) -> Runtime | None:
    """Return the server behind a Service or a pool, if all its pods run one that does not serve
    `/`."""
    kind = text(backend.get("kind")) or "Service"
    namespace = text(backend.get("namespace")) or route.namespace
    name, group = text(backend.get("name")), text(backend.get("group"))
    runtime_names: set[str | None] = set()
    for obj in collection.all_named(group, kind, name, namespace):
        labels = selector(obj)
        for pod in collection.selected(obj.namespace, labels).pods if labels else ():
            runtime_names |= set(map(runtimes.recognise, pod.images))
    known_runtimes = [
        runtimes.get(runtime_name) for runtime_name in runtime_names if runtime_name is not None
    ]
    return (
        known_runtimes[0]
        if len(runtime_names) == 1 and known_runtimes and known_runtimes[0].root is not None
        else None
    )


def _told(asking: TimeoutLimit, name: str, collection: Collection) -> bool:
    """Return whether a policy sets another health check path for this name."""
    for policy in asking.asks_root:
        for obj in collection.of(policy.group, policy.kind):
            targets = [obj.spec.get("targetRef"), *items(obj.spec.get("targetRefs"))]
            if name in [text(mapping(target).get("name")) for target in targets]:
                return True
    return False


def _found(
    route: Object, path: tuple[str | int, ...], asking: TimeoutLimit, server: Runtime
) -> RawFinding:
    assert server.root is not None
    kind = asking.asks_root[0].kind
    return RawFinding(
        path,
        f"the health check of {asking.title} requests `/`, regardless of the probes, and "
        f"{server.title} answers {server.root.status}: the load balancer sends no traffic",
        note=f"set the path in a {kind}, for example to that of the readiness probe",
        confidence="likely",
        object=route.number,
    )
