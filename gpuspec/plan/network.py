"""Services."""

from gpuspec.plan import exposed
from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.facets import NodeMap, ServicePlan
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec


def service(
    name: Decision,
    selector: NodeMap,
    server: ServerPlan,
    spec: InferenceSpec,
    more: tuple[Decision, ...] = (),
) -> ServicePlan:
    """Return the Service of a model server; ports have names, so that nothing depends on a number.

    `more`: ports in addition to the spec's.
    """
    ports: list[Decision] = []
    for port in server.ports:
        if port == "http":
            ports.append(_main_port(server.service_port, exposed.front(spec)))
        else:
            value = {"name": port, "port": server.ports[port], "targetPort": port}
            ports.append(derived("service", value, f"the server's {port} port"))
    ports += (*exposed.service_ports(spec), *more)
    # Where a router is before it, clients know that one by this name.
    if spec.expose.name is not None and spec.prefill is None:
        name = from_spec(("spec", "expose", "name"), spec.expose.name, "the port that clients use")
    return ServicePlan(name=name, selector=selector, ports=tuple(ports))


def _main_port(decision: Decision, front: int | None) -> Decision:
    value = {"name": "http", "port": decision.value, "targetPort": front or "http"}
    if front is None:
        return Decision(value, decision.reason, decision.origin)
    why = f"{decision.reason}; it leads to the sidecar in front of the server"
    return from_spec(("spec", "expose", "through"), value, why)


def headless(name: Decision, selector: NodeMap, port: int) -> ServicePlan:
    """Return the headless Service that gives the workers of a Job their host names."""
    return ServicePlan(
        name=name,
        selector=selector,
        ports=(
            derived(
                "rendezvous",
                {"name": "rendezvous", "port": port, "targetPort": port},
                "rank 0 listens here",
            ),
        ),
        cluster_ip=derived("rendezvous", "None", "headless: each worker has a host name"),
        publish_not_ready=derived(
            "rendezvous", True, "workers look each other up before they are ready"
        ),
    )
