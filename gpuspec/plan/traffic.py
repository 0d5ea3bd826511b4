"""What stands between clients and a server: routes, its pool and picker, and what its gateway is told."""

from collections.abc import Iterator

from gpuspec.plan import edge, openshift_route, picker, pool, route
from gpuspec.plan.case import Case
from gpuspec.plan.facets import MetaPlan, ObjectPlan, ServicePlan, objects
from gpuspec.plan.leaf import Note
from gpuspec.plan.picker import PickerPlan
from gpuspec.plan.probes import ProbesPlan
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec


def leading(
    case: Case,
    spec: InferenceSpec,
    meta: MetaPlan,
    service: ServicePlan,
    server: ServerPlan,
    asks: ProbesPlan,
    made: PickerPlan | None,
) -> Iterator[ObjectPlan]:
    """The picker, and what leads to the server: once it is there, clients may come."""
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


def notes(case: Case, spec: InferenceSpec) -> list[Note]:
    """Where the profile has nothing that leads to the server, or less than it might."""
    return [*route.notes(case, spec), *pool.notes(case, spec)]
