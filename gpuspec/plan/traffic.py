"""What stands between clients and a server: routes, its pool and picker, and what its gateway is told.

All of it is of specs with a `route`: nothing imports this module for others, since start-up counts.
"""

from collections.abc import Iterator

from gpuspec.plan import edge, openshift_route, picker, pool, route
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import MetaPlan, ObjectPlan, PodPlan, ServicePlan, TrafficPlan, objects
from gpuspec.plan.parts import Parts
from gpuspec.plan.picker import PickerPlan
from gpuspec.plan.probes import ProbesPlan
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec


def traffic(
    parts: Parts,
    spec: InferenceSpec,
    pod: PodPlan,
    service: ServicePlan,
    server: ServerPlan,
    asks: ProbesPlan,
) -> TrafficPlan:
    """What leads to a server. `service`: the one that clients ask."""
    case = parts.case
    made = picker.picker(case, spec, pod, parts.security.helper)
    labels = None if made is None else {key: leaf.value for key, leaf in made.selector.items()}
    leading = _leading(case, spec, parts.meta, service, server, asks, made)
    return TrafficPlan(
        picker=labels,
        identity=picker.objects(made, *picker.IDENTITY),
        closed=picker.closed(case, server, made),
        asked=picker.objects(made, "picker-service"),
        # Nothing leads to pods that only compute prompts: the router asks them.
        leading=tuple(leading) if case.server is None else (),
        notes=(*route.notes(case, spec), *pool.notes(case, spec)),
    )


def _leading(
    case: Case,
    spec: InferenceSpec,
    meta: MetaPlan,
    service: ServicePlan,
    server: ServerPlan,
    asks: ProbesPlan,
    made: PickerPlan | None,
) -> Iterator[ObjectPlan]:
    google = edge.google(case, spec, service, asks, server)
    checked = google if google is not None and google.health is not None else None
    yield from objects(
        *picker.objects(made, "picker-deployment"),
        ("inference-pool", "pool", pool.pool(case, spec, service, server)),
        ("backend-traffic-policy", "envoy", edge.envoy(case, spec)),
        ("http-route", "route", route.route(case, spec, service, server)),
        ("gcp-backend-policy", "google", google),
        ("health-check-policy", "google", checked),
        *(
            ("openshift-route", "openshift_route", each)
            for each in openshift_route.routes(case, spec, meta, service)
        ),
    )


def refused(case: Case, spec: InferenceSpec) -> list[Refused]:
    """Names and hosts that what leads to the server cannot have."""
    return [*pool.refused(case, spec), *openshift_route.refused(case, spec)]
