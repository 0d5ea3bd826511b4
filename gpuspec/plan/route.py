"""The route by which a Gateway forwards clients to a server."""

import msgspec

from gpuspec.plan import pool
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.facets import ServicePlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.server import ServerPlan
from gpuspec.runtimes import gateways
from gpuspec.spec import InferenceSpec
from gpuspec.spec.routing import Gateway, Route
from gpuspec.spec.rules.gateway import ROUTER
from gpuspec.spec.types import Duration

_PATH = ("spec", "route")


class RoutePlan(msgspec.Struct, frozen=True):
    """An HTTPRoute."""

    parents: PlanPart
    hosts: PlanPart
    matches: PlanPart
    backends: PlanPart
    timeouts: PlanPart


def route(
    resolution: Resolution, spec: InferenceSpec, service: ServicePlan, server: ServerPlan
) -> RoutePlan | None:
    """Return the route from the profile's Gateway to the server; None if the spec or the profile
    has none.

    Its timeout is that of the longest request: many gateways end a request after seconds by
    default, in the middle of a stream.
    """
    gateway, route_spec = resolution.profile.spec.gateway, spec.route
    if gateway is None or route_spec is None or gateway.implementation == ROUTER:
        return None
    parent = {"name": gateway.name}
    if gateway.namespace != resolution.workload.namespace:
        parent["namespace"] = gateway.namespace
    if gateway.listener is not None:
        parent["sectionName"] = gateway.listener
    matches = [{"path": {"type": "PathPrefix", "value": path}} for path in route_spec.paths]
    return RoutePlan(
        parents=from_profile(("spec", "gateway"), [parent], "the cluster's Gateway"),
        hosts=from_spec(
            (*_PATH, "hosts"), list(route_spec.hosts) or None, "the hosts in client requests"
        ),
        matches=from_spec((*_PATH, "paths"), matches or None, "the beginning of their paths"),
        backends=_backend(resolution, spec, service, server),
        timeouts=_timeouts(gateway, spec, route_spec),
    )


def _backend(
    resolution: Resolution, spec: InferenceSpec, service: ServicePlan, server: ServerPlan
) -> Decision:
    if pool.is_pooled(resolution, spec):
        backend = {"group": pool.GROUP, "kind": pool.KIND, "name": resolution.name}
        return derived("inference-pool", [backend], "the server's pool, whose picker chooses a pod")
    assert isinstance(service.name, Decision)
    value = {"name": service.name.value, "port": server.service_port.value}
    return derived("route", [value], "the server's Service")


def notes(resolution: Resolution, spec: InferenceSpec) -> list[Note]:
    """Return a loud note if there is no Gateway for the route."""
    if spec.route is None or resolution.profile.spec.gateway is not None:
        return []
    text = "route: the profile has no `gateway`, so no route is rendered"
    return [Note(text, Origin("spec", _PATH), loud=True)]


def longest(spec: InferenceSpec, value: object, why: str) -> Decision:
    """Return a decision that follows from the longest answer."""
    timeout = spec.route.timeout if spec.route is not None else None
    path = ("spec", "longestRequest") if timeout is None else (*_PATH, "timeout")
    return from_spec(path, value, why)


def longest_seconds(spec: InferenceSpec) -> int:
    """Return the time of the longest answer, to the end of its stream, in seconds."""
    timeout = spec.route.timeout if spec.route is not None else None
    return (timeout or spec.longest_request).seconds


def _timeouts(gateway: Gateway, spec: InferenceSpec, route_spec: Route) -> Decision | None:
    """Return the route's timeouts; none if only a policy can set them."""
    if gateway.implementation and gateways.limit_of(gateway.implementation).by_policy:
        return None
    timeout_text = duration(route_spec.timeout or spec.longest_request)
    return longest(spec, {"request": timeout_text}, "the longest answer, to the end of its stream")


def duration(length: Duration) -> str:
    """Format a duration for Gateway API: hours, minutes and seconds, of at most five digits
    each."""
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"
