"""Services and endpoints.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go, and
pkg/registry/core/service/storage/alloc.go for families of addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver import addresses
from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_HINTS = "service.kubernetes.io/topology-aware-hints"
_MODE = "service.kubernetes.io/topology-mode"
_OUTSIDE = ("NodePort", "LoadBalancer")


def service(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check what the type of a Service requires."""
    kind = spec.get("type") or "ClusterIP"
    ips = spec.get("clusterIPs") or [
        cluster_ip for cluster_ip in [spec.get("clusterIP")] if cluster_ip
    ]
    if kind == "ExternalName":
        name = (spec.get("externalName") or "").removesuffix(".")
        if spec.get("externalName") and (problem := dns_subdomain(name) if name else "is empty"):
            yield refused(("externalName",), f"it {problem}")
    else:
        yield from _cluster_ips(spec, ips, version)
    if ips == ["None"] and kind in _OUTSIDE:
        yield refused((_ips_of(spec),), f"`None` cannot be set with `type: {kind}`")
    if not spec.get("ports") and ips != ["None"] and kind != "ExternalName":
        yield refused(("ports",), "it is missing: a Service needs at least one port")
    yield from _ports(spec, kind)
    yield from _outside(spec, kind)
    if spec.get("sessionAffinity") == "ClientIP":
        yield from _affinity(spec)
    for number, text in enumerate(spec.get("externalIPs") or ()):
        if problem := addresses.endpoint(text or "", version):
            yield refused(("externalIPs", number), problem)
    if kind == "LoadBalancer":
        for number, text in enumerate(spec.get("loadBalancerSourceRanges") or ()):
            if problem := addresses.cidr((text or "").strip(), version):
                yield refused(("loadBalancerSourceRanges", number), problem)


def annotated(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check annotations that a server reads like fields."""
    spec, annotations = inner(value, "spec"), inner(value, "metadata", "annotations")
    if (ranges := annotations.get(_RANGES)) is not None and not spec.get(
        "loadBalancerSourceRanges"
    ):
        path = ("metadata", "annotations", _RANGES)
        if spec.get("type") != "LoadBalancer":
            yield refused(path, "it needs `type: LoadBalancer`")
        for text in ranges.strip().split(",") if ranges.strip() else ():
            if problem := addresses.cidr(text.strip(), version):
                yield refused(path, f"`{text.strip()}`: {problem}")
    hints, mode = annotations.get(_HINTS), annotations.get(_MODE)
    if hints is not None and mode is not None and hints != mode:
        yield refused(("metadata", "annotations", _MODE), f"`{_HINTS}` says `{hints}`")


def endpoint_subset(subset: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that ports have names if there are several."""
    ports = list(maps(subset, "ports"))
    for number, port in ports if len(ports) > 1 else ():
        if not port.get("name"):
            yield _nameless(("ports", number, "name"))


def endpoint_address(address: Map, version: str) -> Iterator[SchemaViolation]:
    """Check an address that other hosts reach."""
    if address.get("ip") and (problem := addresses.endpoint(address["ip"], version)):
        yield refused(("ip",), problem)


def _cluster_ips(spec: Map, ips: list[str], version: str) -> Iterator[SchemaViolation]:
    first, families = spec.get("clusterIP"), spec.get("ipFamilies") or []
    field = _ips_of(spec)
    if spec.get("clusterIPs") and spec["clusterIPs"][0] != (first or None):
        message = f"its first address must equal `clusterIP`, which is `{first}`"
        yield refused(
            (field,),
            message if first else ("it needs `clusterIP`, which must equal its first address"),
        )
    wrong = list(_wrong_ips(ips, field, version))
    yield from wrong
    if len(ips) > 2:
        yield refused((field,), f"expected at most two addresses, not {len(ips)}")
    if wrong or not all(ips):
        return
    if len(ips) > 1 and not addresses.is_pair(ips):
        yield refused((field,), "expected one address of each family")
    headless, policy = ips == ["None"], spec.get("ipFamilyPolicy")
    # Without a policy, what has no selector and no address is of both families.
    single = policy == "SingleStack" or (
        policy is None and not (headless and not spec.get("selector"))
    )
    if single and 2 in (len(ips), len(families)):
        yield refused(
            ("ipFamilyPolicy",),
            "expected `PreferDualStack` or `RequireDualStack`, because there are two families",
        )
    for number, (text, family) in enumerate(zip(ips, families, strict=False)):
        if not headless and (family == "IPv6") != (":" in text):
            path = (field, number) if field == "clusterIPs" else (field,)
            yield refused(path, f"expected an address of {family}, in the order of `ipFamilies`")


def _wrong_ips(ips: list[str], field: str, version: str) -> Iterator[SchemaViolation]:
    for number, text in enumerate(ips):
        path = (field, number) if field == "clusterIPs" else (field,)
        if text == "None" and number == 0:
            if len(ips) > 1:
                yield refused((field,), "`None` must be the only address")
        elif problem := addresses.ip(text or "", version):
            yield refused(path, problem)


def _ips_of(spec: Map) -> str:
    return "clusterIPs" if spec.get("clusterIPs") else "clusterIP"


def _ports(spec: Map, kind: str) -> Iterator[SchemaViolation]:
    ports = list(maps(spec, "ports"))
    names, ports_taken = set(), set()
    for number, port in ports:
        path = ("ports", number)
        name, node_port = port.get("name"), port.get("nodePort")
        if not name and len(ports) > 1:
            yield _nameless((*path, "name"))
        elif name and name in names:
            yield refused((*path, "name"), f"another port has `name: {name}` too")
        names.add(name)
        if node_port and kind == "ClusterIP":
            yield refused((*path, "nodePort"), "it cannot be set with `type: ClusterIP`")
        elif node_port:
            key = (port.get("protocol") or "TCP", node_port)
            if key in ports_taken:
                yield refused((*path, "nodePort"), f"another port has `nodePort: {node_port}` too")
            ports_taken.add(key)
    if kind in _OUTSIDE:
        yield from _shared(ports, allocated=spec.get("allocateLoadBalancerNodePorts") is not False)


def _shared(ports: list[tuple[int, Map]], *, allocated: bool) -> Iterator[SchemaViolation]:
    """Check that a node port leads to one port, which can have one entry for each protocol.

    A server assigns the first free node port to the first port of a number.
    """
    wanted_ports: dict[Any, int] = {}
    for _, port in ports:
        if port.get("nodePort"):
            wanted_ports.setdefault(port.get("port"), port["nodePort"])
    given_ports: dict[Any, int] = {}
    ports_taken, pairs = set(), set()
    for number, port in ports:
        leads_to, node_port = port.get("port"), port.get("nodePort")
        pair = (port.get("protocol") or "TCP", node_port)
        said_already = pair in pairs
        pairs.add(pair)
        if not node_port and not allocated:
            continue
        requested_port = node_port if leads_to in given_ports else wanted_ports.get(leads_to)
        if not requested_port or requested_port == given_ports.get(leads_to):
            continue
        if requested_port in ports_taken and not said_already:
            message = f"node port {requested_port} leads to another port: only protocols of one port can share it"
            yield refused(("ports", number, "nodePort"), message)
        ports_taken.add(requested_port)
        given_ports.setdefault(leads_to, requested_port)


def _outside(spec: Map, kind: str) -> Iterator[SchemaViolation]:
    policy, check = spec.get("externalTrafficPolicy"), spec.get("healthCheckNodePort")
    if policy and kind not in _OUTSIDE and not (kind == "ClusterIP" and spec.get("externalIPs")):
        yield refused(("externalTrafficPolicy",), f"it cannot be set with `type: {kind}`")
    if check and not (kind == "LoadBalancer" and policy == "Local"):
        yield refused(
            ("healthCheckNodePort",),
            "it needs `type: LoadBalancer` and `externalTrafficPolicy: Local`",
        )


def _affinity(spec: Map) -> Iterator[SchemaViolation]:
    config = spec.get("sessionAffinityConfig")
    timeout = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
    if timeout is not None and not 0 < timeout <= 86400:
        yield refused(
            ("sessionAffinityConfig", "clientIP", "timeoutSeconds"),
            f"expected a number from 1 to 86400, not {timeout}",
        )


def _nameless(path: tuple[str | int, ...]) -> SchemaViolation:
    return refused(path, "it is missing: several ports need names")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.EndpointAddress": (endpoint_address,),
    "core.v1.EndpointSubset": (endpoint_subset,),
    "core.v1.Service": (annotated,),
    "core.v1.ServiceSpec": (service,),
}
