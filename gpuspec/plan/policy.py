"""Network policies: what the profile opens for every server, and the spec for this one."""

from collections.abc import Iterator
from typing import Any

from gpuspec import hardware
from gpuspec.manifests import Path
from gpuspec.plan import exposed
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import HostNamesPlan, NetworkPlan
from gpuspec.plan.leaf import Leaf, Origin, derived, from_profile, from_spec
from gpuspec.plan.server import ServerPlan
from gpuspec.plan.target import Front
from gpuspec.spec import Egress, InferenceSpec, Peer
from gpuspec.spec.rules.network import CILIUM, NO_NAMES

NAMESPACE_NAME = "kubernetes.io/metadata.name"
CACHE_PORTS = ({"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"})
"""Those of a cache of DNS on the node."""
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
    selector: dict[str, str],
    front: Front | None = None,
) -> NetworkPlan | None:
    """Who may call the server and what it may reach; None when the profile names no peers.

    `front`: what the target puts before the server, which is called in its place.
    """
    if case.profile.spec.network is None:
        return None
    return NetworkPlan(
        ingress=tuple(_ingress(case, spec, server, selector, front)) or None,
        egress=tuple(_egress(case, spec, selector)),
        types=derived("network", ["Ingress", "Egress"], "closed in both directions"),
    )


def host_names(case: Case, spec: InferenceSpec) -> HostNamesPlan | None:
    """What it may reach by name, for Cilium; None where nothing is.

    Cilium learns the addresses from answers of DNS, which therefore have to pass through it.
    """
    named = [(origin, one) for origin, one in _destinations(case, spec) if one.fqdn is not None]
    if not named:
        return None
    known = hardware.provider(case.profile.spec.provider).dns
    dns = {
        "toEndpoints": [{"matchLabels": {_POD_NAMESPACE: known.namespace}}],
        "toPorts": [
            {
                "ports": [{"port": str(known.port), "protocol": "ANY"}],
                "rules": {"dns": [{"matchPattern": "*"}]},
            }
        ],
    }
    return HostNamesPlan(
        egress=(
            derived("network", dns, "by DNS Cilium learns the addresses of names"),
            *(Leaf(_by_name(one), "by its name", origin) for origin, one in named),
        )
    )


def _ingress(
    case: Case,
    spec: InferenceSpec,
    server: ServerPlan,
    selector: dict[str, str],
    front: Front | None,
) -> Iterator[Leaf]:
    network = case.profile.spec.network
    assert network is not None
    main: tuple[str | int, ...] = (exposed.front(spec) or "http",)
    ports = _tcp(*(front.ports if front else main), *exposed.targets(spec))
    metrics = case.runtime.metrics
    metrics_port = metrics.port if metrics and metrics.port in server.ports else "http"
    # What is put before a server gives its port another name.
    scraped = _tcp(server.ports[metrics_port] if front else metrics_port)
    if front is not None:
        where = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: front.namespace}}}]
        value = {"from": where, "ports": _tcp(*front.ports, *front.measured)}
        yield derived("network", value, "these pass requests on, and count them")
    if network.ingress:
        value = {"from": _peers(network.ingress), "ports": ports}
        yield from_profile((*_PATH, "ingress"), value, "these may call every server")
    if network.metrics:
        value = {"from": _peers(network.metrics), "ports": scraped}
        yield from_profile((*_PATH, "metrics"), value, "these scrape its metrics")
    if spec.network.ingress:
        value = {"from": _peers(spec.network.ingress), "ports": ports}
        yield from_spec((*_PATH, "ingress"), value, "these may call this server too")
    yield from (Leaf({"from": to}, why, origin) for to, why, origin in _together(case, selector))


def _egress(case: Case, spec: InferenceSpec, selector: dict[str, str]) -> Iterator[Leaf]:
    network = case.profile.spec.network
    assert network is not None
    dns = hardware.provider(case.profile.spec.provider).dns
    to = [{"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: dns.namespace}}}]
    # Where names are allowed, DNS has to pass through Cilium, and its own policy opens it.
    if not any(one.fqdn for _, one in _destinations(case, spec)):
        ports = [{"port": dns.port, "protocol": each} for each in ("UDP", "TCP")]
        yield derived("network", {"to": to, "ports": ports}, "DNS")
    if network.dns is not None:
        length = 128 if ":" in network.dns else 32
        value = {
            "to": [{"ipBlock": {"cidr": f"{network.dns}/{length}"}}],
            "ports": list(CACHE_PORTS),
        }
        yield from_profile((*_PATH, "dns"), value, "the node's own cache of DNS")
    if case.model and case.model[1].source.hub:
        value = {"ports": [{"port": 443, "protocol": "TCP"}]}
        yield derived("network", value, "HTTPS, by which it downloads its weights")
    for origin, one in _destinations(case, spec):
        if one.fqdn is None:
            yield Leaf(_destination(one), "this may be reached", origin)
    yield from (Leaf({"to": to}, why, origin) for to, why, origin in _together(case, selector))


def _destinations(case: Case, spec: InferenceSpec) -> Iterator[tuple[Origin, Egress]]:
    """The profile's, then the spec's."""
    network = case.profile.spec.network
    for index, one in enumerate(network.egress if network else ()):
        yield Origin("profile", (*_PATH, "egress", index)), one
    for index, one in enumerate(spec.network.egress):
        yield Origin("spec", (*_PATH, "egress", index)), one


def _together(
    case: Case, selector: dict[str, str]
) -> Iterator[tuple[list[dict[str, Any]], str, Origin]]:
    """Pods that work together, which agree on ports as they go."""
    assert isinstance(case.spec, InferenceSpec)
    if case.workers > 1:
        group = [{"podSelector": {"matchLabels": selector}}]
        path = case.workers_path or ()
        yield group, "pods of a replica agree on ports as they go", Origin("spec", path)
    if case.spec.network.peers:
        why = "servers that work with it, on any port: transfers take free ones"
        yield _peers(case.spec.network.peers), why, Origin("spec", (*_PATH, "peers"))


def _peers(peers: tuple[Peer, ...]) -> list[dict[str, Any]]:
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


def _destination(one: Egress) -> dict[str, Any]:
    ports = _ports(one)
    return {"to": [_peer(one)], **({"ports": ports} if ports else {})}


def _by_name(one: Egress) -> dict[str, Any]:
    name = one.fqdn or ""
    made: dict[str, Any] = {"toFQDNs": [{"matchPattern" if "*" in name else "matchName": name}]}
    if ports := _ports(one):
        made["toPorts"] = [{"ports": [{**each, "port": str(each["port"])} for each in ports]}]
    return made


def _tcp(*ports: str | int) -> list[dict[str, Any]]:
    return [{"port": port, "protocol": "TCP"} for port in ports]


def _ports(one: Egress) -> list[dict[str, Any]]:
    return [
        {"port": port, "protocol": protocol}
        for protocol, ports in (("TCP", one.ports), ("UDP", one.udp))
        for port in ports
    ]
