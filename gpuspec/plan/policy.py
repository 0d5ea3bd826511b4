"""Network policies: the profile's peers of every server, and the spec's peers of this one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuspec import hardware
from gpuspec.manifests import Path
from gpuspec.plan import exposed, sides
from gpuspec.plan.decision import Decision, Origin, derived, from_profile, from_spec
from gpuspec.plan.facets import HostNamesPlan, NetworkPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.server import ServerPlan
from gpuspec.plan.target import Front, Target
from gpuspec.spec import Egress, InferenceSpec, Peer, Profile
from gpuspec.spec.disaggregation import PREFILL
from gpuspec.spec.rules.network import CILIUM, NO_NAMES

NAMESPACE_NAME = "kubernetes.io/metadata.name"
CACHE_PORTS = ({"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"})
"""Ports of a DNS cache on the node."""
BOTH = derived("network", ["Ingress", "Egress"], "closed in both directions")
_PATH: Path = ("spec", "network")
_POD_NAMESPACE = "k8s:io.kubernetes.pod.namespace"


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for host names if no installed component supports them."""
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec) or CILIUM in resolution.profile.spec.installed:
        return []
    if resolution.profile.spec.network is None:
        return []
    hint = 'write a `cidr`, or installed: {cilium: "1.18"} with its version in the profile'
    return [
        RefusalReason(NO_NAMES, resolution.workload.place((*_PATH, "egress", index, "fqdn")), hint)
        for index, egress in enumerate(spec.network.egress)
        if egress.fqdn is not None
    ]


def policy(
    resolution: Resolution,
    spec: InferenceSpec,
    server: ServerPlan,
    target: Target,
    mates: Mapping[str, str],
    picker: Mapping[str, str] | None,
) -> NetworkPlan | None:
    """Return the allowed callers and destinations of the server; None if the profile names no
    peers.

    `mates`: labels of pods that work with it, on any port; empty if there are none. `picker`:
    labels of the endpoint picker's pods.
    """
    if resolution.profile.spec.network is None:
        return None
    ingress = [*_passing_on(target.front)]
    if not target.others_answer:
        ingress += called(resolution, spec, *_own_ports(resolution, spec, server, target))
    ingress += together(resolution, mates)
    if picker is not None:
        ports = tcp(exposed.front(spec) or target.port)
        value = {"from": [{"podSelector": {"matchLabels": dict(picker)}}], "ports": ports}
        ingress.append(
            derived("picker", value, "the picker reads its metrics on the clients' port")
        )
    return NetworkPlan(
        ingress=tuple(ingress) or None,
        egress=tuple(_egress(resolution, spec, mates)),
        types=BOTH,
    )


def host_names(resolution: Resolution, spec: InferenceSpec) -> HostNamesPlan | None:
    """Return the host names that it may reach, as a Cilium policy; None if there are none.

    Cilium learns the addresses from DNS answers, which must therefore pass through it.
    """
    named_hosts = [
        (origin, egress)
        for origin, egress in _destinations(resolution, spec)
        if egress.fqdn is not None
    ]
    if not named_hosts:
        return None
    dns = dns_through_cilium(resolution.profile)
    return HostNamesPlan(
        egress=(
            derived("network", dns, "Cilium learns the addresses of names from DNS"),
            *(Decision(by_name(egress), "by its name", origin) for origin, egress in named_hosts),
        )
    )


def dns_through_cilium(profile: Profile) -> dict[str, Any]:
    """Return the rule for the cluster's DNS in a Cilium policy, which then reads the answers."""
    provider_dns = hardware.provider(profile.spec.provider).dns
    return {
        "toEndpoints": [{"matchLabels": {_POD_NAMESPACE: provider_dns.namespace}}],
        "toPorts": [
            {
                "ports": [{"port": str(provider_dns.port), "protocol": "ANY"}],
                "rules": {"dns": [{"matchPattern": "*"}]},
            }
        ],
    }


def _own_ports(
    resolution: Resolution, spec: InferenceSpec, server: ServerPlan, target: Target
) -> tuple[list[str | int], str | int]:
    """Return the server's ports for clients, and the scraped port."""
    metrics = resolution.runtime.metrics
    apart = metrics is not None and metrics.port in server.ports and metrics.port != "http"
    scraped: str | int = metrics.port if metrics and apart else target.port
    if spec.metrics is not None:
        scraped = spec.metrics.port
    clients: list[str | int] = [exposed.front(spec) or target.port]
    if target.front is not None:
        clients = [*target.front.ports]
    clients += exposed.targets(spec)
    if resolution.side is not None and (bootstrap_port := sides.bootstrap(resolution)) is not None:
        clients.append(bootstrap_port)
    # What is put before a server gives its port another name.
    uses_port_name = target.front and isinstance(scraped, str)
    return clients, server.ports[str(scraped)] if uses_port_name else scraped


def _passing_on(front: Front | None) -> Iterator[Decision]:
    """Yield callers that forward requests to the component in front of the server."""
    if front is not None:
        where = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: front.namespace}}}]
        value = {"from": where, "ports": tcp(*front.ports, *front.measured)}
        yield derived("network", value, "these forward requests and count them")


def called(
    resolution: Resolution, spec: InferenceSpec, clients: Iterable[str | int], scraped: str | int
) -> Iterator[Decision]:
    """Yield the callers of pods, for the ports for clients and for the scraped port."""
    network = resolution.profile.spec.network
    assert network is not None
    ports = tcp(*clients)
    anybody = ports and resolution.side is None
    if resolution.side is not None:
        router = {"podSelector": {"matchLabels": sides.router_selector(resolution)}}
        why = "only the router, which clients call"
        yield derived("prefill", {"from": [router], "ports": ports}, why)
    if network.ingress and anybody:
        yield _every(network.ingress, ports)
    if network.metrics:
        value = {"from": peers_of(network.metrics), "ports": tcp(scraped)}
        yield from_profile((*_PATH, "metrics"), value, "these scrape its metrics")
    if spec.network.ingress and anybody:
        yield _this(spec.network.ingress, ports)


def _every(peers: tuple[Peer, ...], ports: list[dict[str, Any]]) -> Decision:
    """Return the callers in the profile."""
    value = {"from": peers_of(peers), "ports": ports}
    return from_profile((*_PATH, "ingress"), value, "these may call every server")


def _this(peers: tuple[Peer, ...], ports: list[dict[str, Any]]) -> Decision:
    """Return the callers in the spec."""
    value = {"from": peers_of(peers), "ports": ports}
    return from_spec((*_PATH, "ingress"), value, "these may call this server too")


def of_router(resolution: Resolution, spec: InferenceSpec) -> NetworkPlan | None:
    """Return the policy of a server's router: clients call it, and it calls both sides."""
    network = resolution.profile.spec.network
    if network is None:
        return None
    ports, ingress = tcp("http"), list[Decision]()
    if network.ingress:
        ingress.append(_every(network.ingress, ports))
    if spec.network.ingress:
        ingress.append(_this(spec.network.ingress, ports))
    peers = [
        {"podSelector": {"matchLabels": labels}}
        for labels in (sides.own(resolution), sides.partner(resolution))
    ]
    decision = derived("prefill", {"to": peers}, "both sides work on each request")
    return NetworkPlan(
        ingress=tuple(ingress) or None,
        egress=(*names_of_hosts(resolution), decision),
        types=BOTH,
    )


def dns(resolution: Resolution) -> Decision:
    """Return the rule for the cluster's DNS."""
    return derived("network", _dns(resolution.profile), "DNS")


def _dns(profile: Profile) -> dict[str, Any]:
    provider_dns = hardware.provider(profile.spec.provider).dns
    to = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: provider_dns.namespace}}}]
    return {
        "to": to,
        "ports": [{"port": provider_dns.port, "protocol": protocol} for protocol in ("UDP", "TCP")],
    }


def _dns_cache(profile: Profile) -> dict[str, Any] | None:
    network = profile.spec.network
    if network is None or network.dns is None:
        return None
    length = 128 if ":" in network.dns else 32
    return {"to": [{"ipBlock": {"cidr": f"{network.dns}/{length}"}}], "ports": list(CACHE_PORTS)}


def dns_rules(profile: Profile, *, through_cilium: bool) -> Iterator[dict[str, Any]]:
    """Yield the rules for name resolution of any pod: the cluster's DNS, and the node's cache of
    it."""
    if not through_cilium:
        yield _dns(profile)
    if cache := _dns_cache(profile):
        yield cache


def together(resolution: Resolution, mates: Mapping[str, str]) -> Iterator[Decision]:
    """Yield the rules for pods that work with it, on any port."""
    yield from (
        Decision({"from": to}, why, origin) for to, why, origin in _together(resolution, mates)
    )


def names_of_hosts(resolution: Resolution, *, through_cilium: bool = False) -> Iterator[Decision]:
    """Yield the rules for name resolution: the cluster's DNS, and the node's cache of it."""
    if not through_cilium:
        yield dns(resolution)
    if cache := _dns_cache(resolution.profile):
        yield from_profile((*_PATH, "dns"), cache, "the node-local DNS cache")


def _egress(
    resolution: Resolution, spec: InferenceSpec, mates: Mapping[str, str]
) -> Iterator[Decision]:
    # Where names are allowed, DNS has to pass through Cilium, and its own policy opens it.
    has_host_names = any(egress.fqdn for _, egress in _destinations(resolution, spec))
    yield from names_of_hosts(resolution, through_cilium=has_host_names)
    if resolution.model and resolution.model[1].source.hub:
        value = {"ports": [{"port": 443, "protocol": "TCP"}]}
        yield derived("network", value, "HTTPS, to download its weights")
    for origin, egress in _destinations(resolution, spec):
        if egress.fqdn is None:
            yield Decision(destination(egress), "allowed by the spec", origin)
    yield from (
        Decision({"to": to}, why, origin) for to, why, origin in _together(resolution, mates)
    )


def _destinations(resolution: Resolution, spec: InferenceSpec) -> Iterator[tuple[Origin, Egress]]:
    """Yield the profile's destinations, then the spec's."""
    network = resolution.profile.spec.network
    for index, egress in enumerate(network.egress if network else ()):
        yield Origin("profile", (*_PATH, "egress", index)), egress
    for index, egress in enumerate(spec.network.egress):
        yield Origin("spec", (*_PATH, "egress", index)), egress


def _together(
    resolution: Resolution, mates: Mapping[str, str]
) -> Iterator[tuple[list[dict[str, Any]], str, Origin]]:
    """Yield the rules for pods that work together, on any port, since they agree on ports at run
    time."""
    assert isinstance(resolution.spec, InferenceSpec)
    if mates:
        group = [{"podSelector": {"matchLabels": dict(mates)}}]
        if resolution.workers > 1:
            why, path = "pods of a replica agree on ports as they go", resolution.workers_path or ()
        else:
            why, path = "pods of its cluster agree on ports as they go", ("spec", "runtime")
        yield group, why, Origin("spec", path)
    if resolution.side is not None:
        partner_peers = [{"podSelector": {"matchLabels": sides.partner(resolution)}}]
        why = "cache transfers can use any port"
        yield partner_peers, why, Origin("spec", PREFILL)
    if resolution.spec.network.peers:
        why = "servers that exchange caches with it; transfers can use any port"
        yield peers_of(resolution.spec.network.peers), why, Origin("spec", (*_PATH, "peers"))


def peers_of(peers: tuple[Peer, ...]) -> list[dict[str, Any]]:
    """Return peers in the form of a NetworkPolicy."""
    return [_peer(peer) for peer in peers]


def _peer(peer: Peer | Egress) -> dict[str, Any]:
    if peer.cidr is not None:
        return {"ipBlock": {"cidr": peer.cidr}}
    peer_fields: dict[str, Any] = {}
    if peer.namespace:
        peer_fields["namespaceSelector"] = {"matchLabels": {NAMESPACE_NAME: peer.namespace}}
    if peer.pods or not peer.namespace:
        peer_fields["podSelector"] = {"matchLabels": dict(peer.pods)} if peer.pods else {}
    return peer_fields


def destination(egress: Egress) -> dict[str, Any]:
    """Return a destination in the form of a NetworkPolicy, which has no host names."""
    ports = _ports(egress)
    return {"to": [_peer(egress)], **({"ports": ports} if ports else {})}


def by_name(egress: Egress) -> dict[str, Any]:
    """Return a host name in the form of a Cilium policy."""
    name = egress.fqdn or ""
    cilium_rule: dict[str, Any] = {
        "toFQDNs": [{"matchPattern" if "*" in name else "matchName": name}]
    }
    if ports := _ports(egress):
        cilium_rule["toPorts"] = [
            {"ports": [{**port, "port": str(port["port"])} for port in ports]}
        ]
    return cilium_rule


def tcp(*ports: str | int) -> list[dict[str, Any]]:
    """Return TCP ports, by name or number, in the form of a NetworkPolicy."""
    return [{"port": port, "protocol": "TCP"} for port in ports]


def _ports(egress: Egress) -> list[dict[str, Any]]:
    return [
        {"port": port, "protocol": protocol}
        for protocol, ports in (("TCP", egress.ports), ("UDP", egress.udp))
        for port in ports
    ]
