"""Addresses and ranges of addresses, as the API server reads them. Each function returns the fault,
or None.

Source: k8s.io/apimachinery, pkg/util/validation/ip.go: 1.37 is stricter than 1.35.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gpuspec.numbers import read_whole
from gpuspec.validation.apiserver.reading import is_new

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_ZEROS = re.compile(r"(?<![0-9a-fA-F:])0+(?=[0-9])")
_ADDRESS = 'expected an address, such as "10.0.0.1" or "2001:db8::1"'
_RANGE = 'expected a range of addresses, such as "10.0.0.0/8" or "2001:db8::/64"'
_MAPPED = "an IPv4 address must be written as IPv4: this one is wrapped in an IPv6 address"


def ip(text: str, version: str) -> str | None:
    """Return the fault of an address."""
    address = read(text)
    if address is None:
        return _ADDRESS
    if not is_new(version):
        return None
    if _plain(text) != text:
        return "a part of an address cannot begin with 0"
    return _MAPPED if getattr(address, "ipv4_mapped", None) else None


def canonical_ip(text: str) -> str | None:
    """Return the fault of an address that must be in canonical form."""
    address = read(text)
    if address is None or _plain(text) != text:
        return _ADDRESS
    if getattr(address, "ipv4_mapped", None):
        return _MAPPED
    return None if str(address) == text else f'write the canonical form, "{address}"'


def endpoint(text: str, version: str) -> str | None:
    """Return the fault of an address that other hosts must reach."""
    if problem := ip(text, version):
        return problem
    address = read(text)
    assert address is not None
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_unspecified:
        return "an unspecified address is not allowed"
    if address.is_loopback:
        return "a loopback address is not allowed: other hosts cannot reach it"
    if address.is_link_local:
        return "a link-local address is not allowed: other hosts cannot reach it"
    if address in _local_group(address.version):
        return "a link-local multicast address is not allowed: other hosts cannot reach it"
    return None


def cidr(text: str, version: str) -> str | None:
    """Return the fault of a range of addresses."""
    return _cidr(text, strict=is_new(version))


def canonical_cidr(text: str) -> str | None:
    """Return the fault of a range of addresses that must be in canonical form."""
    from ipaddress import ip_network

    if problem := _cidr(text, strict=True):
        return problem
    usual = str(ip_network(text))
    return None if usual == text else f'write the canonical form, "{usual}"'


def read(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address, with leading zeros allowed in its parts; None for anything else."""
    from ipaddress import ip_address

    try:
        return None if "%" in text else ip_address(_plain(text))
    except ValueError:
        return None


def is_part(part: str, whole: str) -> bool:
    """Return whether a valid range is a proper part of another."""
    from ipaddress import ip_network

    network, whole_network = (
        ip_network(_plain(part), strict=False),
        ip_network(_plain(whole), strict=False),
    )
    return (
        network.version == whole_network.version
        and network.prefixlen > whole_network.prefixlen
        and network.overlaps(whole_network)
    )


def is_pair(texts: list[str]) -> bool:
    """Return whether two addresses or ranges are of different families."""
    return len(texts) == 2 and len({":" in text for text in texts}) == 2


@lru_cache(1024)
def _cidr(text: str, *, strict: bool) -> str | None:
    from ipaddress import ip_network

    address, slash, length = text.partition("/")
    parsed_address = read(address)
    bits = read_whole(length)
    if not slash or parsed_address is None or bits is None or bits > parsed_address.max_prefixlen:
        return _RANGE
    if not strict:
        return None
    if _plain(address) != address or (length != "0" and length.startswith("0")):
        return "a part of a range cannot begin with 0"
    if getattr(parsed_address, "ipv4_mapped", None):
        return _MAPPED
    network = ip_network(f"{parsed_address}/{length}", strict=False)
    if network.network_address != parsed_address:
        return f'the range is "{network}": write its first address'
    return None


def _plain(text: str) -> str:
    """Return an address without leading zeros in its decimal parts."""
    return _ZEROS.sub("", text) if "." in text else text


def _local_group(version: int) -> IPv4Network | IPv6Network:
    from ipaddress import ip_network

    return ip_network("224.0.0.0/24" if version == 4 else "ff02::/16")
