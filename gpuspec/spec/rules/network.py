"""Rules for peers of network policies."""

from collections.abc import Iterable, Iterator, Mapping

from gpuspec.manifests import Path
from gpuspec.spec.network import Egress, Network, Peer, Traffic
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.metadata import labels
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

CILIUM = "cilium"
NO_NAMES = "a NetworkPolicy cannot match host names"
"""Why host names need more than Kubernetes' NetworkPolicy."""
_PATH: Path = ("spec", "network")


def problems(network: Network, installed: Mapping[str, str]) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a profile's peers."""
    yield from _peers(network.ingress, "ingress")
    yield from _peers(network.metrics, "metrics")
    yield from _egress(network.egress)
    for index, egress in enumerate(network.egress):
        if egress.fqdn is not None and CILIUM not in installed:
            hint = 'add installed: {cilium: "1.18"} with its version, or use a `cidr`'
            path = (*_PATH, "egress", index, "fqdn")
            yield SpecViolation(NO_NAMES, path, hint, key=True, needs=(("spec", "installed"),))
    if network.dns is not None and not _is_address(network.dns):
        message = f"{shown(network.dns)} is not an address"
        yield SpecViolation(message, (*_PATH, "dns"), "write only the address: 169.254.20.10")


def traffic(rules: Traffic) -> Iterator[SpecViolation]:
    """Yield violations of the rules for one workload's additional peers."""
    yield from _peers(rules.ingress, "ingress")
    yield from _peers(rules.peers, "peers")
    yield from _egress(rules.egress)


def _peers(peers: Iterable[Peer], field: str) -> Iterator[SpecViolation]:
    for index, peer in enumerate(peers):
        path = (*_PATH, field, index)
        if peer.namespace is None and not peer.pods and peer.cidr is None:
            hint = "set `namespace`, `pods` or both, or `cidr`"
            yield SpecViolation("the peer is empty", path, hint)
        yield from _addresses(peer, path)
        yield from labels(peer.pods, (*path, "pods"))


def _egress(egress: Iterable[Egress]) -> Iterator[SpecViolation]:
    for index, entry in enumerate(egress):
        path = (*_PATH, "egress", index)
        if entry.namespace is not None or not entry.pods:
            yield from exactly_one(entry, ("namespace", "cidr", "fqdn"), path, "this entry")
        elif entry.fqdn is not None:
            message = "a host is its name only, without `pods`"
            yield SpecViolation(message, (*path, "fqdn"), "write two entries", key=True)
        yield from _addresses(entry, path)
        yield from labels(entry.pods, (*path, "pods"))


def _addresses(peer: Peer | Egress, path: Path) -> Iterator[SpecViolation]:
    if peer.cidr is None:
        return
    if peer.pods or (isinstance(peer, Peer) and peer.namespace is not None):
        message = "`cidr` is for peers that are not pods, and excludes the other fields"
        yield SpecViolation(message, (*path, "cidr"), "write two entries", key=True)
    if not _is_network(peer.cidr):
        message = f"{shown(peer.cidr)} is not a network"
        yield SpecViolation(
            message, (*path, "cidr"), "write its first address and prefix length: 10.0.0.0/8"
        )


def _is_network(text: str) -> bool:
    from ipaddress import ip_network

    try:
        ip_network(text)
    except ValueError:
        return False
    return "/" in text


def _is_address(text: str) -> bool:
    from ipaddress import ip_address

    try:
        ip_address(text)
    except ValueError:
        return False
    return True
