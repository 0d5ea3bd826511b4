"""Objects between clients and a server: routes, its pool and picker, and policies of its gateway.

Only for specs with a `route`: no other path imports this module, to keep the start fast.
"""

from collections.abc import Iterator

from gpuspec.plan import edge, openshift_route, picker, pool, route
from gpuspec.plan.common_facets import CommonFacets
from gpuspec.plan.facets import MetaPlan, ObjectPlan, PodPlan, ServicePlan, TrafficPlan, objects
from gpuspec.plan.picker import PickerPlan
from gpuspec.plan.probes import ProbesPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec


def traffic(
    parts: CommonFacets,
    spec: InferenceSpec,
    pod: PodPlan,
    service: ServicePlan,
    server: ServerPlan,
    asks: ProbesPlan,
) -> TrafficPlan:
    """Return the objects that lead to a server. `service`: the one for clients."""
    resolution = parts.resolution
    picker_plan = picker.picker(resolution, spec, pod, parts.security.helper)
    labels = (
        None
        if picker_plan is None
        else {key: decision.value for key, decision in picker_plan.selector.items()}
    )
    leading = _leading(resolution, spec, parts.meta, service, server, asks, picker_plan)
    return TrafficPlan(
        picker=labels,
        identity=picker.objects(picker_plan, *picker.IDENTITY),
        closed=picker.closed(resolution, server, picker_plan),
        asked=picker.objects(picker_plan, "picker-service"),
        # Nothing leads to pods that only compute prompts: the router asks them.
        leading=tuple(leading) if resolution.server is None else (),
        notes=(*route.notes(resolution, spec), *pool.notes(resolution, spec)),
    )


def _leading(
    resolution: Resolution,
    spec: InferenceSpec,
    meta: MetaPlan,
    service: ServicePlan,
    server: ServerPlan,
    asks: ProbesPlan,
    picker_plan: PickerPlan | None,
) -> Iterator[ObjectPlan]:
    google = edge.google(resolution, spec, service, asks, server)
    checked = google if google is not None and google.health is not None else None
    yield from objects(
        *picker.objects(picker_plan, "picker-deployment"),
        ("inference-pool", "pool", pool.pool(resolution, spec, service, server)),
        ("backend-traffic-policy", "envoy", edge.envoy(resolution, spec)),
        ("http-route", "route", route.route(resolution, spec, service, server)),
        ("gcp-backend-policy", "google", google),
        ("health-check-policy", "google", checked),
        *(
            ("openshift-route", "openshift_route", openshift_object)
            for openshift_object in openshift_route.routes(resolution, spec, meta, service)
        ),
    )


def refused(resolution: Resolution, spec: InferenceSpec) -> list[RefusalReason]:
    """Return refusals for names and hosts that routes to the server cannot have."""
    return [*pool.refused(resolution, spec), *openshift_route.refused(resolution, spec)]
