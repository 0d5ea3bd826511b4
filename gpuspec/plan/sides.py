"""Names and addresses of prefill pods, decode pods, and their router."""

import msgspec

from gpuspec.numbers import read_whole
from gpuspec.plan import exchange, exposed, metadata
from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.facets import ServicePlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.server import ServerPlan
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec
from gpuspec.spec.disaggregation import DECODE_SUFFIX, PREFILL_SUFFIX, ROUTER_SUFFIX
from gpuspec.spec.inference import connector_of

_NAME = "app.kubernetes.io/name"


class Urls(msgspec.Struct, frozen=True):
    """The addresses of both sides for a router."""

    prefill: tuple[str, ...]
    decode: str
    bootstrap: int | None
    """The bootstrap port of prefill pods, under the same names."""
    each: bool
    """Whether each replica of prefill has a name; otherwise all share that of a Service."""


def urls(prefill: Resolution, server_plan: ServerPlan, target: Target) -> Urls:
    """Return the addresses of both sides for the router of a server; `server_plan` has
    those of the server's own pods."""
    server, spec = prefill.server, prefill.spec
    assert server is not None and isinstance(spec, InferenceSpec)
    port, bootstrap_port = server_plan.service_port.value, bootstrap(prefill)
    hosts = [prefill.name]
    # The router hands on the name as well: behind a Service another pod would be asked.
    one_per_replica = bootstrap_port is not None and target.replica is not None
    if one_per_replica and isinstance(spec.replicas, int):
        assert target.replica is not None
        space = prefill.workload.namespace
        hosts = [f"{target.replica(prefill.name, at)}.{space}" for at in range(spec.replicas)]
        port = exposed.front(spec) or server_plan.ports["http"]
    return Urls(
        prefill=tuple(f"http://{host}:{port}" for host in hosts),
        decode=f"http://{server.name}{DECODE_SUFFIX}:{server_plan.service_port.value}",
        bootstrap=bootstrap_port,
        each=one_per_replica,
    )


def bootstrap(resolution: Resolution) -> int | None:
    """Return the bootstrap port of prefill pods; None if no server connects to it by name."""
    spec = resolution.spec
    connector = connector_of(spec) if isinstance(spec, InferenceSpec) else None
    if resolution.side != "prefill" or connector is None or connector.bootstrap is None:
        return None
    assert isinstance(spec, InferenceSpec)
    port = read_whole(exchange.port_of(spec, connector.bootstrap))
    return connector.bootstrap.number if port is None else port


def bootstrap_ports(resolution: Resolution) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Return that port, of the container and of the Service."""
    number = bootstrap(resolution)
    if number is None:
        return (), ()
    why = "decode pods fetch here what the pod has computed"
    container = {"name": "bootstrap", "containerPort": number}
    service = {"name": "bootstrap", "port": number, "targetPort": "bootstrap"}
    return (derived("prefill", container, why),), (derived("prefill", service, why),)


def service_name(resolution: Resolution, name: Decision) -> Decision:
    """Return the name of the Service of a server's pods; the server's own name leads to a router,
    if there is one."""
    if resolution.side != "decode":
        return name
    why = "the router calls it; the Service with the server's name leads to the router"
    return derived("prefill", f"{resolution.name}{DECODE_SUFFIX}", why)


def clients(
    resolution: Resolution, spec: InferenceSpec, name: Decision, server_plan: ServerPlan
) -> ServicePlan:
    """Return the Service for clients, which leads to the router under the name and port of a plain
    server."""
    if spec.expose.name is not None:
        name = from_spec(("spec", "expose", "name"), spec.expose.name, "the port that clients use")
    selector = {
        key: derived("prefill", value, "the router's pods")
        for key, value in router_selector(resolution).items()
    }
    port = {"name": "http", "port": server_plan.service_port.value, "targetPort": "http"}
    main = Decision(
        port,
        f"{server_plan.service_port.reason}; it leads to the router",
        server_plan.service_port.origin,
    )
    return ServicePlan(name=name, selector=selector, ports=(main,))


def own(resolution: Resolution) -> dict[str, str]:
    """Return the labels of the pods of a resolution."""
    return {key: decision.value for key, decision in metadata.selector(resolution).items()}


def partner(resolution: Resolution) -> dict[str, str]:
    """Return the labels of the pods on the other side."""
    if resolution.server is not None:
        return own(resolution.server)
    return {**own(resolution), _NAME: f"{resolution.name}{PREFILL_SUFFIX}"}


def router_name(resolution: Resolution) -> str:
    """Return the name of the router's objects, except for the Service for clients."""
    return f"{(resolution.server or resolution).name}{ROUTER_SUFFIX}"


def router_selector(resolution: Resolution) -> dict[str, str]:
    """Return the labels of the router's pods."""
    return {_NAME: router_name(resolution), "app.kubernetes.io/component": "router"}
