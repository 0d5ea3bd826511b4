"""Routes of OpenShift, each with one host and one path."""

import re
from collections.abc import Iterator

import msgspec

from gpuspec.manifests.digests import sha256
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import MetaPlan, NodeMap, ServicePlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.route import longest, longest_seconds
from gpuspec.runtimes import gateways
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import DIGEST_LENGTH, LONGEST
from gpuspec.spec.rules.gateway import ROUTER

BALANCE = "haproxy.router.openshift.io/balance"
_PATH = ("spec", "route")
_OTHERS = re.compile(r"[^a-z0-9]+")


class OpenShiftRoutePlan(msgspec.Struct, frozen=True):
    """A Route."""

    name: Decision
    annotations: NodeMap
    host: PlanPart
    path: PlanPart
    to: Decision
    port: Decision
    tls: Decision
    wildcard: Decision


def routes(
    resolution: Resolution, spec: InferenceSpec, meta: MetaPlan, service: ServicePlan
) -> tuple[OpenShiftRoutePlan, ...]:
    """Return a Route for each host and path; none with another gateway."""
    if not _is_routed(resolution, spec):
        return ()
    assert isinstance(service.name, Decision)
    to = {"kind": "Service", "name": service.name.value, "weight": 100}
    tls = {"termination": "edge", "insecureEdgeTerminationPolicy": "Redirect"}
    return tuple(
        OpenShiftRoutePlan(
            name=name,
            annotations={**meta.annotations, **_told(spec)},
            host=host,
            path=path,
            to=derived("openshift-route", to, "the server's Service"),
            port=derived("openshift-route", {"targetPort": "http"}, "the port that clients use"),
            tls=derived(
                "openshift-route", tls, "the router's certificate; plain HTTP is redirected"
            ),
            wildcard=derived("openshift-route", "None", "this host alone"),
        )
        for name, host, path in _places(resolution, spec)
    )


def _is_routed(resolution: Resolution, spec: InferenceSpec) -> bool:
    gateway = resolution.profile.spec.gateway
    return gateway is not None and gateway.implementation == ROUTER and spec.route is not None


def _told(spec: InferenceSpec) -> dict[str, Decision]:
    """Return the router's annotations for its timeout and its load balancing."""
    limit = gateways.limit_of(ROUTER)
    why = (
        f"the longest answer: by default {limit.title} gives up after {limit.seconds}s without data"
    )
    return {
        BALANCE: derived("openshift-route", "leastconn", "answers take seconds to minutes"),
        limit.annotation: longest(spec, f"{longest_seconds(spec)}s", why),
    }


def _places(
    resolution: Resolution, spec: InferenceSpec
) -> Iterator[tuple[Decision, PlanPart, PlanPart]]:
    """Return name, host and path of each Route. The first has the server's name, so that a further
    one changes no name."""
    route = spec.route
    assert route is not None
    for index, host in enumerate(route.hosts or ("",)):
        for number, path in enumerate(route.paths or ("",)):
            first = index == 0 and number == 0
            suffix = "" if first else f"-{_OTHERS.sub('-', host + path.lower()).strip('-')}"
            why = "the server's name" if first else "by its host and path"
            yield (
                derived("openshift-route", _short(f"{resolution.name}{suffix}", host + path), why),
                from_spec((*_PATH, "hosts", index), host, "what clients request") if host else None,
                from_spec((*_PATH, "paths", number), path, "what their path begins with")
                if path
                else None,
            )


def _short(name: str, place: str) -> str:
    """Return a name no longer than a label of a host name, since the router may use it in one."""
    if len(name) <= LONGEST:
        return name
    digest = sha256(place.encode())[:DIGEST_LENGTH]
    return f"{name[: LONGEST - DIGEST_LENGTH - 1].rstrip('-')}-{digest}"


def refused(resolution: Resolution, spec: InferenceSpec) -> list[RefusalReason]:
    """Return refusals for hosts that a Route cannot have."""
    if spec.route is None or not _is_routed(resolution, spec):
        return []
    return [
        RefusalReason(
            "OpenShift's router accepts no wildcard hosts of applications",
            resolution.workload.place((*_PATH, "hosts", index)),
            "name each host",
        )
        for index, host in enumerate(spec.route.hosts)
        if host.startswith("*")
    ]
