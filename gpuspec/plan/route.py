"""The route by which a Gateway sends clients to a server."""

from gpuspec.plan.case import Case
from gpuspec.plan.facets import RoutePlan, ServicePlan
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec
from gpuspec.spec.types import Duration

_PATH = ("spec", "route")


def route(
    case: Case, spec: InferenceSpec, service: ServicePlan, server: ServerPlan
) -> RoutePlan | None:
    """What the profile's Gateway sends to the server; None where the spec or the profile has none.

    An answer may take as long as the longest request: left alone, many gateways end it after seconds,
    in the middle of a stream.
    """
    gateway, said = case.profile.spec.gateway, spec.route
    if gateway is None or said is None:
        return None
    parent = {"name": gateway.name}
    if gateway.namespace != case.workload.namespace:
        parent["namespace"] = gateway.namespace
    if gateway.listener is not None:
        parent["sectionName"] = gateway.listener
    assert isinstance(service.name, Leaf)
    backend = {"name": service.name.value, "port": server.service_port.value}
    matches = [{"path": {"type": "PathPrefix", "value": path}} for path in said.paths]
    return RoutePlan(
        parents=from_profile(("spec", "gateway"), [parent], "the cluster's Gateway"),
        hosts=from_spec((*_PATH, "hosts"), list(said.hosts) or None, "hosts that clients ask for"),
        matches=from_spec((*_PATH, "paths"), matches or None, "what their paths begin with"),
        backends=derived("route", [backend], "the server's Service"),
        timeouts=_timeouts(spec, said.timeout),
    )


def notes(case: Case, spec: InferenceSpec) -> list[Note]:
    """A loud word where there is no Gateway to route by."""
    if spec.route is None or case.profile.spec.gateway is not None:
        return []
    text = "route: the profile has no `gateway`, so that none is made"
    return [Note(text, Origin("spec", _PATH), loud=True)]


def _timeouts(spec: InferenceSpec, said: Duration | None) -> Leaf:
    why = "the longest answer, to the end of its stream"
    if said is not None:
        return from_spec((*_PATH, "timeout"), {"request": _duration(said)}, why)
    return from_spec(("spec", "longestRequest"), {"request": _duration(spec.longest_request)}, why)


def _duration(said: Duration) -> str:
    """As Gateway API writes it: hours, minutes and seconds, of at most five digits each."""
    minutes, seconds = divmod(said.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"
