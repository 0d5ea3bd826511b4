"""A server's replicas as one InferencePool, from which a picker chooses for each request."""

import msgspec

from gpuspec.plan import exposed
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_profile
from gpuspec.plan.facets import NodeMap, ServicePlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.server import ServerPlan
from gpuspec.runtimes import pickers
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import LONGEST
from gpuspec.spec.routing import Picker

GROUP = "inference.networking.k8s.io"
KIND = "InferencePool"
PORT = 9002
"""The port of a rendered picker, which is its default."""
SUFFIX = "-epp"
"""The suffix of the picker's name, after the server's name."""
_PATH = ("spec", "gateway", "picker")


class PoolPlan(msgspec.Struct, frozen=True):
    """An InferencePool."""

    selector: NodeMap
    ports: Decision
    picker: Decision


def picker_of(resolution: Resolution, spec: InferenceSpec) -> Picker | None:
    """Return the picker of the profile's Gateway, if the spec has a route."""
    gateway = resolution.profile.spec.gateway
    return gateway.picker if gateway is not None and spec.route is not None else None


def is_pooled(resolution: Resolution, spec: InferenceSpec) -> bool:
    """Return whether a picker chooses among the replicas: it must know the server's metrics."""
    picker = picker_of(resolution, spec)
    return picker is not None and _why_not(picker, resolution, spec) is None


def rendered(resolution: Resolution, spec: InferenceSpec) -> Picker | None:
    """Return the picker next to the server; None if the platform has its own, or if there is no
    pool."""
    picker = picker_of(resolution, spec)
    if picker is None or picker.image is None or _why_not(picker, resolution, spec) is not None:
        return None
    return picker


def _why_not(picker: Picker, resolution: Resolution, spec: InferenceSpec) -> str | None:
    if spec.prefill is not None:
        return "requests go to the router before prefill and decode"
    if picker.image is None:
        return None  # what the platform's own one can do, it knows itself
    if pickers.engine_of(resolution.runtime.name) is None:
        return f"the picker knows no metrics of {resolution.runtime.title}"
    if spec.expose.through is not None:
        return "the picker reads metrics on the port for requests, which is a sidecar's"
    return None


def pool(
    resolution: Resolution, spec: InferenceSpec, service: ServicePlan, server: ServerPlan
) -> PoolPlan | None:
    """Return the pool of a server; None if no picker chooses among its replicas."""
    picker = picker_of(resolution, spec)
    if picker is None or _why_not(picker, resolution, spec) is not None:
        return None
    ports = [{"number": exposed.front(spec) or server.ports["http"]}]
    return PoolPlan(
        selector=service.selector,
        ports=derived(
            "inference-pool", ports, "where the server listens: pools know numbers alone"
        ),
        picker=_reference(resolution, picker),
    )


def _reference(resolution: Resolution, picker: Picker) -> Decision:
    """Return the reference to the picker. If it does not answer, any replica is used."""
    name = picker.service or f"{resolution.name}{SUFFIX}"
    port = picker.port if picker.service else PORT
    value = {
        "group": "",
        "kind": "Service",
        "name": name,
        "port": {"number": port},
        "failureMode": "FailOpen",
    }
    why = "if it is down, the gateway sends requests to any replica"
    if picker.service:
        return from_profile((*_PATH, "service"), value, f"the platform's own picker; {why}")
    return derived("inference-pool", value, f"the picker next to the server; {why}")


def refused(resolution: Resolution, spec: InferenceSpec) -> list[RefusalReason]:
    """Return a refusal for a name that is too long for the derived names."""
    over = len(resolution.name) + len(SUFFIX) - LONGEST
    if rendered(resolution, spec) is None or over <= 0:
        return []
    text = f"the name has {len(resolution.name)} characters, {over} too many"
    hint = f"its picker is named <name>{SUFFIX}, {LONGEST} characters at most"
    return [RefusalReason(text, resolution.workload.place(("metadata", "name")), hint)]


def notes(resolution: Resolution, spec: InferenceSpec) -> list[Note]:
    """Return a loud note if the profile has a picker that cannot choose among these replicas."""
    picker = picker_of(resolution, spec)
    why = picker and _why_not(picker, resolution, spec)
    if not why:
        return []
    text = f"route: {why}, so the route leads to the Service"
    return [Note(text, Origin("spec", ("spec", "route")), loud=True)]
