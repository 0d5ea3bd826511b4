"""Network policies: what the profile opens for every server, and the spec for this one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuspec import hardware
from gpuspec.manifests import Path
from gpuspec.plan import exposed, sides
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import HostNamesPlan, NetworkPlan
from gpuspec.plan.leaf import Leaf, Origin, derived, from_profile, from_spec
from gpuspec.plan.server import ServerPlan
from gpuspec.plan.target import Front, Target
from gpuspec.spec import Egress, InferenceSpec, Peer, Profile
from gpuspec.spec.disaggregation import PREFILL
from gpuspec.spec.rules.network import CILIUM, NO_NAMES

NAMESPACE_NAME = "kubernetes.io/metadata.name"
CACHE_PORTS = ({"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"})
"""Those of a cache of DNS on the node."""
BOTH = derived("network", ["Ingress", "Egress"], "closed in both directions")
_PATH: Path = ("spec", "network")
_POD_NAMESPACE = "k8s:io.kubernetes.pod.namespace"


def refused(case: Case) -> list[Refused]:
    """Hosts by name where nothing is installed that knows them."""
    spec = case.spec
    if not isinstance(spec, InferenceSpec) or CILIUM in case.profile.spec.installed:
        return []
    if case.profile.spec.network is None:
        return []
    hint = 'write a `cidr`, or installed: {cilium: "1.18"} with its version in the profile'
    return [
        Refused(NO_NAMES, case.workload.place((*_PATH, "egress", index, "fqdn")), hint)
        for index, one in enumerate(spec.network.egress)
        if one.fqdn is not None
    ]


def policy(
    case: Case,
    spec: InferenceSpec,
    server: ServerPlan,
    target: Target,
    mates: Mapping[str, str],
    picker: Mapping[str, str] | None,
) -> NetworkPlan | None:
    """Who may call the server and what it may reach; None when the profile names no peers.

    `mates`: labels of the pods that work with it, on any port; empty where none do. `picker`: labels of
    the pods that pick among its replicas by their metrics.
    """
    if case.profile.spec.network is None:
        return None
    ingress = [*_passing_on(target.front)]
    if not target.others_answer:
        ingress += called(case, spec, *_own_ports(case, spec, server, target))
    ingress += together(case, mates)
    if picker is not None:
        ports = tcp(exposed.front(spec) or target.port)
        value = {"from": [{"podSelector": {"matchLabels": dict(picker)}}], "ports": ports}
        ingress.append(derived("picker", value, "the picker reads its metrics where clients ask"))
    return NetworkPlan(
        ingress=tuple(ingress) or None,
        egress=tuple(_egress(case, spec, mates)),
        types=BOTH,
    )


def host_names(case: Case, spec: InferenceSpec) -> HostNamesPlan | None:
    """What it may reach by name, for Cilium; None where nothing is.

    Cilium learns the addresses from answers of DNS, which therefore have to pass through it.
    """
    named = [(origin, one) for origin, one in _destinations(case, spec) if one.fqdn is not None]
    if not named:
        return None
    dns = dns_through_cilium(case.profile)
    return HostNamesPlan(
        egress=(
            derived("network", dns, "by DNS Cilium learns the addresses of names"),
            *(Leaf(by_name(one), "by its name", origin) for origin, one in named),
        )
    )


def dns_through_cilium(profile: Profile) -> dict[str, Any]:
    """DNS of the cluster, in the words of Cilium, which then reads the answers."""
    known = hardware.provider(profile.spec.provider).dns
    return {
        "toEndpoints": [{"matchLabels": {_POD_NAMESPACE: known.namespace}}],
        "toPorts": [
            {
                "ports": [{"port": str(known.port), "protocol": "ANY"}],
                "rules": {"dns": [{"matchPattern": "*"}]},
            }
        ],
    }


def _own_ports(
    case: Case, spec: InferenceSpec, server: ServerPlan, target: Target
) -> tuple[list[str | int], str | int]:
    """The server's ports for clients, and the one that is scraped."""
    metrics = case.runtime.metrics
    apart = metrics is not None and metrics.port in server.ports and metrics.port != "http"
    scraped: str | int = metrics.port if metrics and apart else target.port
    if spec.metrics is not None:
        scraped = spec.metrics.port
    clients: list[str | int] = [exposed.front(spec) or target.port]
    if target.front is not None:
        clients = [*target.front.ports]
    clients += exposed.targets(spec)
    if case.side is not None and (asked := sides.bootstrap(case)) is not None:
        clients.append(asked)
    # What is put before a server gives its port another name.
    named = target.front and isinstance(scraped, str)
    return clients, server.ports[str(scraped)] if named else scraped


def _passing_on(front: Front | None) -> Iterator[Leaf]:
    """Who passes requests on to what the target puts before the server."""
    if front is not None:
        where = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: front.namespace}}}]
        value = {"from": where, "ports": tcp(*front.ports, *front.measured)}
        yield derived("network", value, "these pass requests on, and count them")


def called(
    case: Case, spec: InferenceSpec, clients: Iterable[str | int], scraped: str | int
) -> Iterator[Leaf]:
    """Who may call pods, on ports for clients, and on the one that is scraped."""
    network = case.profile.spec.network
    assert network is not None
    ports = tcp(*clients)
    anybody = ports and case.side is None
    if case.side is not None:
        router = {"podSelector": {"matchLabels": sides.router_selector(case)}}
        why = "the router alone, which clients ask"
        yield derived("prefill", {"from": [router], "ports": ports}, why)
    if network.ingress and anybody:
        yield _every(network.ingress, ports)
    if network.metrics:
        value = {"from": peers_of(network.metrics), "ports": tcp(scraped)}
        yield from_profile((*_PATH, "metrics"), value, "these scrape its metrics")
    if spec.network.ingress and anybody:
        yield _this(spec.network.ingress, ports)


def _every(peers: tuple[Peer, ...], ports: list[dict[str, Any]]) -> Leaf:
    """The profile's callers."""
    value = {"from": peers_of(peers), "ports": ports}
    return from_profile((*_PATH, "ingress"), value, "these may call every server")


def _this(peers: tuple[Peer, ...], ports: list[dict[str, Any]]) -> Leaf:
    """The spec's own callers."""
    value = {"from": peers_of(peers), "ports": ports}
    return from_spec((*_PATH, "ingress"), value, "these may call this server too")


def of_router(case: Case, spec: InferenceSpec) -> NetworkPlan | None:
    """The same of a server's router: clients ask it, and it asks both sides."""
    network = case.profile.spec.network
    if network is None:
        return None
    ports, ingress = tcp("http"), list[Leaf]()
    if network.ingress:
        ingress.append(_every(network.ingress, ports))
    if spec.network.ingress:
        ingress.append(_this(spec.network.ingress, ports))
    both = [
        {"podSelector": {"matchLabels": labels}}
        for labels in (sides.own(case), sides.partner(case))
    ]
    asked = derived("prefill", {"to": both}, "it has both sides work on each request")
    return NetworkPlan(
        ingress=tuple(ingress) or None,
        egress=(*names_of_hosts(case), asked),
        types=BOTH,
    )


def dns(case: Case) -> Leaf:
    """DNS of the cluster."""
    return derived("network", _dns(case.profile), "DNS")


def _dns(profile: Profile) -> dict[str, Any]:
    known = hardware.provider(profile.spec.provider).dns
    to = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: known.namespace}}}]
    return {
        "to": to,
        "ports": [{"port": known.port, "protocol": each} for each in ("UDP", "TCP")],
    }


def _dns_cache(profile: Profile) -> dict[str, Any] | None:
    network = profile.spec.network
    if network is None or network.dns is None:
        return None
    length = 128 if ":" in network.dns else 32
    return {"to": [{"ipBlock": {"cidr": f"{network.dns}/{length}"}}], "ports": list(CACHE_PORTS)}


def dns_rules(profile: Profile, *, through_cilium: bool) -> Iterator[dict[str, Any]]:
    """How any pod of a cluster learns addresses: its DNS, and the node's own cache of it."""
    if not through_cilium:
        yield _dns(profile)
    if cache := _dns_cache(profile):
        yield cache


def together(case: Case, mates: Mapping[str, str]) -> Iterator[Leaf]:
    """Pods that work with it, on any port."""
    yield from (Leaf({"from": to}, why, origin) for to, why, origin in _together(case, mates))


def names_of_hosts(case: Case, *, through_cilium: bool = False) -> Iterator[Leaf]:
    """How a pod learns addresses: the cluster's DNS, and the node's own cache of it."""
    if not through_cilium:
        yield dns(case)
    if cache := _dns_cache(case.profile):
        yield from_profile((*_PATH, "dns"), cache, "the node's own cache of DNS")


def _egress(case: Case, spec: InferenceSpec, mates: Mapping[str, str]) -> Iterator[Leaf]:
    # Where names are allowed, DNS has to pass through Cilium, and its own policy opens it.
    named = any(one.fqdn for _, one in _destinations(case, spec))
    yield from names_of_hosts(case, through_cilium=named)
    if case.model and case.model[1].source.hub:
        value = {"ports": [{"port": 443, "protocol": "TCP"}]}
        yield derived("network", value, "HTTPS, by which it downloads its weights")
    for origin, one in _destinations(case, spec):
        if one.fqdn is None:
            yield Leaf(destination(one), "this may be reached", origin)
    yield from (Leaf({"to": to}, why, origin) for to, why, origin in _together(case, mates))


def _destinations(case: Case, spec: InferenceSpec) -> Iterator[tuple[Origin, Egress]]:
    """The profile's, then the spec's."""
    network = case.profile.spec.network
    for index, one in enumerate(network.egress if network else ()):
        yield Origin("profile", (*_PATH, "egress", index)), one
    for index, one in enumerate(spec.network.egress):
        yield Origin("spec", (*_PATH, "egress", index)), one


def _together(
    case: Case, mates: Mapping[str, str]
) -> Iterator[tuple[list[dict[str, Any]], str, Origin]]:
    """Pods that work together, which agree on ports as they go."""
    assert isinstance(case.spec, InferenceSpec)
    if mates:
        group = [{"podSelector": {"matchLabels": dict(mates)}}]
        if case.workers > 1:
            why, path = "pods of a replica agree on ports as they go", case.workers_path or ()
        else:
            why, path = "pods of its cluster agree on ports as they go", ("spec", "runtime")
        yield group, why, Origin("spec", path)
    if case.side is not None:
        other = [{"podSelector": {"matchLabels": sides.partner(case)}}]
        why = "caches are handed over on any port: transfers take free ones"
        yield other, why, Origin("spec", PREFILL)
    if case.spec.network.peers:
        why = "servers that work with it, on any port: transfers take free ones"
        yield peers_of(case.spec.network.peers), why, Origin("spec", (*_PATH, "peers"))


def peers_of(peers: tuple[Peer, ...]) -> list[dict[str, Any]]:
    """Peers as a NetworkPolicy says them."""
    return [_peer(peer) for peer in peers]


def _peer(peer: Peer | Egress) -> dict[str, Any]:
    if peer.cidr is not None:
        return {"ipBlock": {"cidr": peer.cidr}}
    made: dict[str, Any] = {}
    if peer.namespace:
        made["namespaceSelector"] = {"matchLabels": {NAMESPACE_NAME: peer.namespace}}
    if peer.pods or not peer.namespace:
        made["podSelector"] = {"matchLabels": dict(peer.pods)} if peer.pods else {}
    return made


def destination(one: Egress) -> dict[str, Any]:
    """What may be reached, as a NetworkPolicy says it; not by name."""
    ports = _ports(one)
    return {"to": [_peer(one)], **({"ports": ports} if ports else {})}


def by_name(one: Egress) -> dict[str, Any]:
    """A host that may be reached by its name, as Cilium says it."""
    name = one.fqdn or ""
    made: dict[str, Any] = {"toFQDNs": [{"matchPattern" if "*" in name else "matchName": name}]}
    if ports := _ports(one):
        made["toPorts"] = [{"ports": [{**each, "port": str(each["port"])} for each in ports]}]
    return made


def tcp(*ports: str | int) -> list[dict[str, Any]]:
    """Ports of TCP, by name or number, as a NetworkPolicy says them."""
    return [{"port": port, "protocol": "TCP"} for port in ports]


def _ports(one: Egress) -> list[dict[str, Any]]:
    return [
        {"port": port, "protocol": protocol}
        for protocol, ports in (("TCP", one.ports), ("UDP", one.udp))
        for port in ports
    ]
