"""Services and network policies."""

from typing import Any

from gpuspec import hardware
from gpuspec.plan import exposed
from gpuspec.plan.case import Case
from gpuspec.plan.facets import NetworkPlan, NodeMap, ServicePlan
from gpuspec.plan.leaf import Leaf, derived, from_profile, from_spec
from gpuspec.plan.server import ServerPlan
from gpuspec.spec import InferenceSpec, Peer

NAMESPACE_NAME = "kubernetes.io/metadata.name"


def service(name: Leaf, selector: NodeMap, server: ServerPlan, spec: InferenceSpec) -> ServicePlan:
    """The Service of a model server: ports by name, so that nothing depends on a number."""
    ports: list[Leaf] = []
    for port in server.ports:
        if port == "http":
            ports.append(_main_port(server.service_port, exposed.front(spec)))
        else:
            value = {"name": port, "port": server.ports[port], "targetPort": port}
            ports.append(derived("service", value, f"the server's {port} port"))
    ports += exposed.service_ports(spec)
    if spec.expose.name is not None:
        name = from_spec(("spec", "expose", "name"), spec.expose.name, "as clients know it")
    return ServicePlan(name=name, selector=selector, ports=tuple(ports))


def _main_port(asked: Leaf, front: int | None) -> Leaf:
    value = {"name": "http", "port": asked.value, "targetPort": front or "http"}
    if front is None:
        return Leaf(value, asked.reason, asked.origin)
    why = f"{asked.reason}; it leads to the sidecar before the server"
    return from_spec(("spec", "expose", "through"), value, why)


def headless(name: Leaf, selector: NodeMap, port: int) -> ServicePlan:
    """The headless Service that gives the workers of a Job their host names."""
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


def policy(
    case: Case, spec: InferenceSpec, server: ServerPlan, selector: dict[str, str]
) -> NetworkPlan | None:
    """Who may call the server and what it may reach; None when the profile names no peers."""
    network = case.profile.spec.network
    if network is None:
        return None
    main = exposed.front(spec) or "http"
    ports = [{"port": port, "protocol": "TCP"} for port in (main, *exposed.targets(spec))]
    metrics = case.runtime.metrics
    metrics_port = metrics.port if metrics and metrics.port in server.ports else "http"
    ingress: list[dict[str, Any]] = []
    if network.ingress:
        ingress.append({"from": [_peer(peer) for peer in network.ingress], "ports": ports})
    if network.metrics:
        ingress.append(
            {
                "from": [_peer(peer) for peer in network.metrics],
                "ports": [{"port": metrics_port, "protocol": "TCP"}],
            }
        )
    egress = _egress(case)
    if case.workers > 1:
        # The pods of a replica talk to each other on ports that they agree on as they go.
        group = [{"podSelector": {"matchLabels": selector}}]
        ingress.append({"from": group})
        egress.append({"to": group})
    path = ("spec", "network")
    return NetworkPlan(
        ingress=from_profile((*path, "ingress"), ingress or None, "only these may call it"),
        egress=from_profile(
            (*path, "egress"),
            egress,
            "only this may be reached: DNS, and what the profile names",
        ),
        types=derived("network", ["Ingress", "Egress"], "closed in both directions"),
    )


def _peer(peer: Peer) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if peer.namespace:
        made["namespaceSelector"] = {"matchLabels": {NAMESPACE_NAME: peer.namespace}}
    if peer.pods or not peer.namespace:
        made["podSelector"] = {"matchLabels": dict(peer.pods)} if peer.pods else {}
    return made


def _egress(case: Case) -> list[dict[str, Any]]:
    network = case.profile.spec.network
    dns = hardware.provider(case.profile.spec.provider).dns
    rules: list[dict[str, Any]] = [
        {
            "to": [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: dns.namespace}}}],
            "ports": [{"port": dns.port, "protocol": each} for each in ("UDP", "TCP")],
        }
    ]
    if case.model and case.model[1].source.hub:
        rules.append({"ports": [{"port": 443, "protocol": "TCP"}]})
    for target in network.egress if network else ():
        made: dict[str, Any] = {}
        if target.cidr:
            made["to"] = [{"ipBlock": {"cidr": target.cidr}}]
        elif target.namespace:
            made["to"] = [
                {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: target.namespace}}}
            ]
        if target.ports:
            made["ports"] = [{"port": port, "protocol": "TCP"} for port in target.ports]
        rules.append(made)
    return rules
