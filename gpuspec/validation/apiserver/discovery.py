"""Endpoint slices.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/discovery/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver import addresses
from gpuspec.validation.apiserver.reading import maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation


def endpoint_slice(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that all addresses have the slice's type."""
    kind = value.get("addressType")
    for number, endpoint in maps(value, "endpoints"):
        for index, text in enumerate(endpoint.get("addresses") or ()):
            if problem := _problem(kind, text or "", version):
                yield refused(("endpoints", number, "addresses", index), problem)


def _problem(kind: str | None, text: str, version: str) -> str | None:
    match kind:
        case "FQDN":
            name = text.removesuffix(".")
            if "." not in name:
                return 'expected a fully qualified name, such as "chat.example.com"'
            return f"it {problem}" if (problem := dns_subdomain(name)) else None
        case "IPv4" | "IPv6":
            address = addresses.read(text)
            problem = (
                addresses.canonical_ip(text) if kind == "IPv6" else addresses.ip(text, version)
            )
            if problem or address is None:
                return problem
            mapped = getattr(address, "ipv4_mapped", None)
            if (kind == "IPv4") != (address.version == 4 or mapped is not None):
                return f"expected an address of {kind}"
            return addresses.endpoint(text, version)
    return None


RELATIONS: dict[str, tuple[Relation, ...]] = {"discovery.v1.EndpointSlice": (endpoint_slice,)}
