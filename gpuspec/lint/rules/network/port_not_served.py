"""An address of a Service with a port that the Service does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.network.addresses import Address, addresses, service_at
from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU877",
    "port-not-served",
    "warning",
    "An address names a port that its Service does not have",
)
_HEADLESS = "None"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield addresses in variables and arguments, of Services of the set that select pods."""
    if ("", "Service") not in context.collection.kinds:
        return
    reported: set[tuple[str, int]] = set()
    for address in addresses(pod):
        if address.port is None or (address.host, address.port) in reported:
            continue
        service = service_at(address.host, pod, context.collection)
        if service is None or not selector(service) or is_changed(service, context.collection):
            continue
        problem = _said(address, service)
        if problem is not None:
            reported.add((address.host, address.port))
            yield RawFinding(
                address.path,
                problem[0],
                note=problem[1],
                confidence="likely",
                related=(RelatedPlace(service.number, service.path("spec", "ports"), "its ports"),),
            )


def _said(address: Address, service: Object) -> tuple[str, str] | None:
    """Return the fault of an address, and what to write; None if there is none."""
    ports = [mapping(port) for port in items(service.spec.get("ports"))]
    numbers = [whole(port.get("port")) for port in ports]
    if not ports or None in numbers or service.spec.get("type") == "ExternalName":
        return None
    if service.spec.get("clusterIP") == _HEADLESS:
        return _of_headless(address, service, ports)
    if address.port in numbers:
        return None
    numbers_text = listed([f"`{number}`" for number in numbers])
    targets = [port.get("targetPort") for port in ports]
    whose = " (that of its pods)" if address.port in targets else ""
    return (
        f"Service `{service.name}` has no port {address.port}{whose}, only {numbers_text}: "
        "connections time out or are refused",
        f"write the Service's port: `{address.host}:{numbers[0]}`",
    )


def _of_headless(
    address: Address, service: Object, ports: list[dict[str, object]]
) -> tuple[str, str] | None:
    """Return a port that only the Service has: its name leads to its pods, and to their ports."""
    targets = [port.get("targetPort", port.get("port")) for port in ports]
    if address.port in targets or any(text(target) for target in targets):
        return None
    if address.port not in [port.get("port") for port in ports]:
        return None
    return (
        f"Service `{service.name}` is headless, so clients reach its pods directly, but the pods "
        f"do not listen on {address.port}: connections are refused",
        f"write the pods' port (`{address.host}:{targets[0]}`), or remove `clusterIP: None`",
    )
