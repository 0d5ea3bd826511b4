"""IP addresses and address ranges: `ip("10.0.0.1")`, `cidr("10.0.0.0/8")`.

Source: k8s.io/apiserver 1.37, pkg/cel/library.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from gpuspec.cel.regexes import compiled
from gpuspec.cel.registry import can, each, function
from gpuspec.cel.values import Failure, Opaque
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network


class CelAddress(Opaque):
    """An IP address: `ip("10.0.0.1")`."""

    NAME = "net.IP"


class CelNetwork(Opaque):
    """An address range: the address as written, and the length of its prefix in bits."""

    NAME = "net.CIDR"

    @property
    def all(self) -> IPv4Network | IPv6Network:
        """The network of the range, without host bits."""
        from ipaddress import ip_network

        return ip_network(self.of, strict=False)


@function("ip(string) -> net.IP")
def _ip(text: str) -> CelAddress:
    from ipaddress import ip_address

    try:
        address = ip_address(text)
    except ValueError as error:
        raise Failure(str(error)) from None
    if getattr(address, "ipv4_mapped", None) or getattr(address, "scope_id", None):
        raise Failure(f"IP address {text!r} is not allowed")
    return CelAddress(address)


function("isIP(string) -> bool")(can(_ip))


@function("ip.isCanonical(string) -> bool")
def _is_canonical(text: str) -> bool:
    return str(_ip(text).of) == text


@function("net.IP:family() -> int")
def _family(value: CelAddress) -> int:
    return operator.index(value.of.version)


@function("net.IP:isUnspecified() -> bool")
def _is_unspecified(value: CelAddress) -> bool:
    return bool(value.of.is_unspecified)


@function("net.IP:isLoopback() -> bool")
def _is_loopback(value: CelAddress) -> bool:
    return bool(value.of.is_loopback)


@function("net.IP:isLinkLocalMulticast() -> bool")
def _is_link_local_multicast(value: CelAddress) -> bool:
    address = value.of
    if address.version == 4:
        return bool(address.packed[:3] == b"\xe0\x00\x00")
    return bool(address.packed[0] == 0xFF and address.packed[1] & 0x0F == 2)


@function("net.IP:isLinkLocalUnicast() -> bool")
def _is_link_local_unicast(value: CelAddress) -> bool:
    return bool(value.of.is_link_local)


@function("net.IP:isGlobalUnicast() -> bool")
def _is_global_unicast(value: CelAddress) -> bool:
    address = value.of
    is_special = (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )
    return not is_special and str(address) != "255.255.255.255"


@function(*each("string($) -> string", ("net.IP", "net.CIDR")))
def _address_text(value: Opaque) -> str:
    return str(value.of) if isinstance(value, CelAddress) else "{}/{}".format(*value.of)


@function("cidr(string) -> net.CIDR")
def _cidr(text: str) -> CelNetwork:
    head, slash, bits = text.rpartition("/")
    address = _ip(head).of if slash else None
    if (
        address is None
        or not compiled("^(0|[1-9][0-9]*)$").search(bits)
        or of_digits(bits) > address.max_prefixlen
    ):
        raise Failure(f"{text!r} is not a CIDR range")
    return CelNetwork((address, of_digits(bits)))


function("isCIDR(string) -> bool")(can(_cidr))


@function("net.CIDR:containsIP(string) -> bool", "net.CIDR:containsIP(net.IP) -> bool")
def _contains_ip(cel_network: CelNetwork, address: CelAddress | str) -> bool:
    return (_ip(address) if isinstance(address, str) else address).of in cel_network.all


@function("net.CIDR:containsCIDR(string) -> bool", "net.CIDR:containsCIDR(net.CIDR) -> bool")
def _contains_cidr(cel_network: CelNetwork, network: CelNetwork | str) -> bool:
    inner = _cidr(network) if isinstance(network, str) else network
    return cel_network.all.overlaps(inner.all) and bool(cel_network.of[1] <= inner.of[1])


@function("net.CIDR:ip() -> net.IP")
def _ip_of(value: CelNetwork) -> CelAddress:
    return CelAddress(value.of[0])


@function("net.CIDR:prefixLength() -> int")
def _prefix_length(value: CelNetwork) -> int:
    return operator.index(value.of[1])


@function("net.CIDR:masked() -> net.CIDR")
def _masked(value: CelNetwork) -> CelNetwork:
    return CelNetwork((value.all.network_address, value.of[1]))
