"""Policies of Gateway API implementations next to a route: timeout, health check, and load
balancing."""

from typing import Any

import msgspec

from gpuspec.numbers import read_version, read_whole
from gpuspec.plan import pool
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec, from_table
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.facets import ServicePlan
from gpuspec.plan.probes import ProbesPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.route import duration, longest, longest_seconds
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec

PARALLEL = 1024
"""The number of concurrent requests that Envoy lets through to all replicas together."""
MOST_DRAINING = 3600
"""The longest draining timeout of Google's load balancers, in seconds."""
# The first release whose BackendTrafficPolicy says how long a stream may be silent.
_SILENCE_SINCE = (1, 8)


class EnvoyPlan(msgspec.Struct, frozen=True):
    """A BackendTrafficPolicy of Envoy Gateway."""

    targets: PlanPart
    merge: PlanPart
    timeout: PlanPart
    retry: PlanPart
    balancer: PlanPart
    breaker: PlanPart


class GooglePlan(msgspec.Struct, frozen=True):
    """A GCPBackendPolicy and a HealthCheckPolicy of GKE."""

    target: PlanPart
    timeout: PlanPart
    draining: PlanPart
    health: PlanPart


def envoy(resolution: Resolution, spec: InferenceSpec) -> EnvoyPlan | None:
    """Return the policy for Envoy Gateway; None with another gateway.

    It is merged into a policy of the Gateway, whose other fields stay.
    """
    if not _is(resolution, spec, "envoy-gateway"):
        return None
    target = {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": resolution.name}
    replicas = most_replicas(spec)
    requests = PARALLEL * replicas
    limits = dict.fromkeys(
        ("maxConnections", "maxParallelRequests", "maxPendingRequests"), requests
    )
    return EnvoyPlan(
        targets=derived("envoy-gateway", [target], "the server's route"),
        merge=derived("envoy-gateway", "StrategicMerge", "merges with the Gateway's own policy"),
        timeout={
            "http": {**_time(resolution, spec), "connectionIdleTimeout": _idle(resolution, spec)}
        },
        retry=derived("envoy-gateway", {"numRetries": 0}, "a retry would compute the answer twice"),
        # The picker says which one it is.
        balancer=None
        if pool.is_pooled(resolution, spec)
        else derived("envoy-gateway", {"type": "LeastRequest"}, "answers take seconds to minutes"),
        breaker=from_spec(
            ("spec", "replicas"),
            limits,
            f"{PARALLEL} for each replica: by default Envoy refuses more than {PARALLEL} "
            "for all of them",
        )
        if replicas > 1
        else None,
    )


def google(
    resolution: Resolution,
    spec: InferenceSpec,
    service: ServicePlan,
    asks: ProbesPlan,
    server: ServerPlan,
) -> GooglePlan | None:
    """Return the policies for Google's load balancer; None with another gateway."""
    if not _is(resolution, spec, "gke"):
        return None
    seconds = longest_seconds(spec)
    why = "the longest answer, to the end of its stream"
    draining = min(seconds, MOST_DRAINING)
    return GooglePlan(
        target=_target(resolution, spec, service),
        timeout=longest(spec, seconds, why),
        draining=longest(spec, {"drainingTimeoutSec": draining}, "running requests can finish"),
        health=_health(asks, server),
    )


def _is(resolution: Resolution, spec: InferenceSpec, implementation: str) -> bool:
    gateway = resolution.profile.spec.gateway
    return (
        gateway is not None and spec.route is not None and gateway.implementation == implementation
    )


def _time(resolution: Resolution, spec: InferenceSpec) -> dict[str, PlanPart]:
    """Return the longest answer as timeout, also for silence: an answer that is not streamed begins
    at its end."""
    timeout = spec.route.timeout if spec.route is not None else None
    seconds_text = duration(timeout or spec.longest_request)
    times: dict[str, PlanPart] = {
        "requestTimeout": longest(
            spec, seconds_text, "the longest answer, to the end of its stream"
        )
    }
    if (*read_version(resolution.profile.spec.installed["envoy-gateway"]), 0)[:2] >= _SILENCE_SINCE:
        times["streamIdleTimeout"] = longest(
            spec, seconds_text, "an answer that is not streamed sends nothing until its end"
        )
    return times


def _idle(resolution: Resolution, spec: InferenceSpec) -> Decision | None:
    """Return the idle timeout of connections, which is shorter than the server's, so that the
    server does not close a connection in use."""
    keep_alive = resolution.runtime.keep_alive
    if keep_alive is None:
        return None
    keep_alive_value = spec.env.get(keep_alive.variable)
    seconds = keep_alive.seconds if keep_alive_value is None else read_whole(str(keep_alive_value))
    if seconds is None or seconds < 2:
        return None
    why = (
        f"{resolution.runtime.title} closes an idle connection after {seconds}s: the "
        "client has to close it earlier"
    )
    return from_table(f"runtimes/{resolution.runtime.name} keep_alive", f"{seconds - 1}s", why)


def _target(resolution: Resolution, spec: InferenceSpec, service: ServicePlan) -> Decision:
    if pool.is_pooled(resolution, spec):
        value = {"group": pool.GROUP, "kind": pool.KIND, "name": resolution.name}
        return derived("gke-gateway", value, "the server's pool")
    assert isinstance(service.name, Decision)
    value = {"group": "", "kind": "Service", "name": service.name.value}
    return derived("gke-gateway", value, "the server's Service")


def _health(asks: ProbesPlan, server: ServerPlan) -> Decision | None:
    """Return the server's readiness path: by default the load balancer checks `/`, which few
    servers answer."""
    readiness = asks.readiness
    probe: dict[str, Any] = readiness.value if readiness is not None else {}
    http = probe.get("httpGet")
    if readiness is None or not isinstance(http, dict):
        return None
    port = http["port"]
    number = server.ports[port] if isinstance(port, str) else port
    value = {
        "type": "HTTP",
        "httpHealthCheck": {
            "portSpecification": "USE_FIXED_PORT",
            "port": number,
            "requestPath": http["path"],
        },
    }
    why = "the path of the readiness probe: by default the load balancer requests /"
    return Decision(value, why, readiness.origin)
