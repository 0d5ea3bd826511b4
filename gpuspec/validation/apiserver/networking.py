"""Network policies, ingresses and related kinds.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/networking/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver import addresses
from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_CLASS = "kubernetes.io/ingress.class"
_PORTS = 65535
_CROOKED = re.compile(r"//|/\.\.?(?=/|$)|%2[fF]")


def policy_port(port: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a range of ports begins with a number."""
    first, last = port.get("port"), port.get("endPort")
    if last is None:
        return
    if not isinstance(first, int):
        yield refused(("endPort",), "it needs a numeric `port`")
    elif not first <= last <= _PORTS:
        yield refused(("endPort",), f"expected a number from {first} to {_PORTS}, not {last}")


def ip_block(block: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a range of addresses, and the ranges to exclude from it."""
    whole = block.get("cidr")
    if not whole:
        return
    problem = addresses.cidr(whole, version)
    if problem:
        yield refused(("cidr",), problem)
    for number, part in enumerate(block.get("except") or ()):
        if wrong := addresses.cidr(part or "", version):
            yield refused(("except", number), wrong)
        elif not problem and not addresses.is_part(part, whole):
            yield refused(("except", number), f"it is not a part of `{whole}`")


def ingress(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the class is set once, or twice to the same value."""
    old = inner(value, "metadata", "annotations").get(_CLASS)
    new = inner(value, "spec").get("ingressClassName")
    if old is not None and new is not None and old != new:
        yield refused(("metadata", "annotations", _CLASS), f"`ingressClassName` is `{new}`")


def rule(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a host is a name."""
    if value.get("host") and addresses.read(value["host"]):
        yield refused(("host",), "expected a name, not an address")


def path(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a path is normalized."""
    text = value.get("path") or ""
    if value.get("pathType") not in ("Exact", "Prefix"):
        return
    if not text:
        yield refused(("path",), "it is missing: write `/` for everything")
    elif wrong := _CROOKED.search(text):
        yield refused(("path",), f"it cannot contain `{wrong[0]}`")


def backend(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a port of a Service has a name or a number."""
    service, resource = value.get("service"), value.get("resource")
    if service is None or resource is not None:
        yield from _resource(resource or {})
        return
    port = inner(service, "port")
    if bool(port.get("name")) == bool(port.get("number")):
        message = (
            "expected a name or a number, not both"
            if port.get("name")
            else "expected a name or a number"
        )
        yield refused(("service",), f"`port`: {message}")


def _resource(reference: Map) -> Iterator[SchemaViolation]:
    group = reference.get("apiGroup")
    if group is not None and (problem := dns_subdomain(group)):
        yield refused(("resource", "apiGroup"), f"it {problem}")
    for field in ("kind", "name"):
        text = reference.get(field) or ""
        if not text:
            yield refused(("resource", field), "it is missing")
        if text in (".", "..") or "/" in text or "%" in text:
            message = 'expected a name without "/" and "%"'
            yield refused(("resource", field), message)


def ip_address(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an IPAddress is named after its address."""
    for field in ("name", "generateName"):
        name = inner(value, "metadata").get(field)
        if name and (problem := addresses.canonical_ip(name)):
            yield refused(("metadata", field), problem)


def service_cidr(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check ranges of addresses, one of each family."""
    ranges = spec.get("cidrs") or []
    wrong = [addresses.canonical_cidr(text or "") for text in ranges]
    for number, problem in enumerate(wrong):
        if problem:
            yield refused(("cidrs", number), problem)
    if len(ranges) == 2 and not any(wrong) and not addresses.is_pair(ranges):
        yield refused(("cidrs",), "expected one range of each family")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "networking.v1.HTTPIngressPath": (path,),
    "networking.v1.IPAddress": (ip_address,),
    "networking.v1.IPBlock": (ip_block,),
    "networking.v1.Ingress": (ingress,),
    "networking.v1.IngressBackend": (backend,),
    "networking.v1.IngressRule": (rule,),
    "networking.v1.NetworkPolicyPort": (policy_port,),
    "networking.v1.ServiceCIDRSpec": (service_cidr,),
}
