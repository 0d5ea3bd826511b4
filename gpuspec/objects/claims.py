"""Claims of Dynamic Resource Allocation in every API version: their requests, and the pods that use
them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.objects.amounts import amounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

GROUP = "resource.k8s.io"
IMPLIED = "deviceclass.resource.kubernetes.io/"
"""The prefix that makes the name of a DeviceClass an extended resource."""
FLAT = (
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
)
"""The fields that v1beta1 has in a request itself, and later versions under `exactly`."""


def requests_of(obj: Object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the requests of a ResourceClaim or its template, with their paths from the document's
    root."""
    inner = ("spec", "spec") if obj.kind == "ResourceClaimTemplate" else ("spec",)
    steps = (*inner, "devices", "requests")
    for index, request in enumerate(items(at(obj.value, steps))):
        if isinstance(request, dict):
            yield obj.path(*steps, index), request


class ClaimedDevices(msgspec.Struct, frozen=True):
    """The devices of one class that a request, or one alternative of it, asks for."""

    request: str
    """The name of the request; for an alternative `request/alternative`, as in allocations."""
    device_class: str
    count: int | None
    """None if the request takes all devices of a node, or its count is not a number."""
    expressions: tuple[str, ...]
    """CEL selectors of the request, in addition to those of its class."""
    path: Path


def alternatives_of(obj: Object) -> Iterator[tuple[ClaimedDevices, ...]]:
    """Yield the alternatives of each request of a claim or template, in order of preference.

    Requests with admin access are left out, because they take no device from another pod.
    """
    for path, request in requests_of(obj):
        name = text(request.get("name"))
        first = [
            alternative
            for alternative in items(request.get("firstAvailable"))
            if isinstance(alternative, dict)
        ]
        if first:
            yield tuple(
                _asked(
                    alternative,
                    f"{name}/{text(alternative.get('name'))}",
                    (*path, "firstAvailable", index),
                )
                for index, alternative in enumerate(first)
            )
            continue
        exactly = request.get("exactly")
        inner, where = (exactly, (*path, "exactly")) if exactly is not None else (request, path)
        if mapping(inner).get("adminAccess") is not True:
            yield (_asked(mapping(inner), name, where),)


def _asked(value: dict[str, Any], name: str, path: Path) -> ClaimedDevices:
    expressions = tuple(
        text(at(selector, ("cel", "expression"))) for selector in items(value.get("selectors"))
    )
    exact = value.get("allocationMode", "ExactCount") == "ExactCount"
    count = whole(value.get("count"), 1) if exact else None
    return ClaimedDevices(name, text(value.get("deviceClassName")), count, expressions, path)


class ClaimedAmounts(msgspec.Struct, frozen=True):
    """The devices that a pod's claims request."""

    devices: dict[str, Fraction]
    """Counts of accelerators, by their extended resource."""
    unknown: bool
    """Whether a claim requests devices of an unknown type or number."""


def claimed(pod: Pod, collection: Collection) -> ClaimedAmounts:
    """Return the devices that one pod's claims request, according to the templates in the set. Of
    alternatives, the first counts.

    The devices of a ResourceClaim that several pods share are not counted.
    """
    devices: dict[str, Fraction] = {}
    unknown = False
    for claim in pod.claims:
        name = text(claim.get("resourceClaimTemplateName"))
        if name and _is_channel(name, pod, collection):
            continue
        template = collection.named(
            GROUP, "ResourceClaimTemplate", name or "-", pod.object.namespace
        )
        if template is None:
            unknown = True
            continue
        template_devices = asked_by(template, collection)
        unknown = unknown or template_devices.unknown
        for resource, count in template_devices.devices.items():
            devices[resource] = devices.get(resource, Fraction(0)) + count
    return ClaimedAmounts(devices, unknown)


def asked_by(obj: Object, collection: Collection) -> ClaimedAmounts:
    """Return the devices that a claim or template requests; of alternatives, the first."""
    devices: dict[str, Fraction] = {}
    unknown = False
    for first, *_ in alternatives_of(obj):
        resource = resource_of(first, collection)
        if resource is None or first.count is None:
            unknown = True
        elif hardware.is_gpu_resource(resource):
            devices[resource] = devices.get(resource, Fraction(0)) + first.count
    return ClaimedAmounts(devices, unknown)


def together(pod: Pod, collection: Collection) -> tuple[dict[str, Fraction], bool]:
    """Return the amounts that a pod requests by resources and by claims, and whether its claims
    request more than is known."""
    pod_amounts = amounts(pod)
    if not pod.claims:
        return pod_amounts, False
    of_claims = claimed(pod, collection)
    more = {
        name: pod_amounts.get(name, Fraction(0)) + count
        for name, count in of_claims.devices.items()
    }
    return pod_amounts | more, of_claims.unknown


def resource_of(claimed_devices: ClaimedDevices, collection: Collection) -> str | None:
    """Return the extended resource of a request's devices; None if it is unknown.

    The class itself may name it; otherwise the class's driver tells.
    """
    obj = collection.named(GROUP, "DeviceClass", claimed_devices.device_class)
    expressions = () if obj is None else _expressions(obj)
    if obj is not None and (resource := text(obj.spec.get("extendedResourceName"))):
        return resource
    for maker, driver in hardware.claim_drivers().items():
        is_named = claimed_devices.device_class in (driver.whole, driver.partition)
        if not is_named and not any(
            _names_driver(expression, driver.driver) for expression in expressions
        ):
            continue
        profile = _profile((*expressions, *claimed_devices.expressions))
        if profile is not None:
            return profile
        if claimed_devices.device_class == driver.partition != driver.whole:
            return IMPLIED + claimed_devices.device_class
        return hardware.whole_resource(maker)
    implied = IMPLIED + claimed_devices.device_class
    return implied if obj is not None or hardware.is_gpu_resource(implied) else None


def _expressions(device_class: Object) -> tuple[str, ...]:
    return tuple(
        text(at(selector, ("cel", "expression")))
        for selector in items(device_class.spec.get("selectors"))
    )


def _profile(expressions: tuple[str, ...]) -> str | None:
    """Return the resource of the MIG profile that CEL expressions select, if they select exactly
    one."""
    words = {
        word
        for expression in expressions
        for word in expression.replace('"', "'").split("'")
        if word in hardware.mig_names()
    }
    return hardware.mig_resource(words.pop()) if len(words) == 1 else None


def is_of_network(claim: dict[str, Any], pod: Pod, collection: Collection) -> bool:
    """Return whether a pod's claim is known to request network interfaces only."""
    for field, kind in (
        ("resourceClaimTemplateName", "ResourceClaimTemplate"),
        ("resourceClaimName", "ResourceClaim"),
    ):
        if name := text(claim.get(field)):
            obj = collection.named(GROUP, kind, name, pod.object.namespace)
            requests = [] if obj is None else [*alternatives_of(obj)]
            return bool(requests) and all(
                _names_network(devices, collection)
                for alternatives in requests
                for devices in alternatives
            )
    return False


def _names_network(claimed_devices: ClaimedDevices, collection: Collection) -> bool:
    device_class = claimed_devices.device_class
    obj = collection.named(GROUP, "DeviceClass", device_class)
    expressions = (*claimed_devices.expressions, *(() if obj is None else _expressions(obj)))
    return any(
        driver == device_class
        or any(_names_driver(expression, driver) for expression in expressions)
        for driver in hardware.network_drivers()
    )


def _names_driver(expression: str, driver: str) -> bool:
    """Return whether a CEL expression names a driver, in either kind of quotes."""
    return f"'{driver}'" in expression or f'"{driver}"' in expression


def _is_channel(template: str, pod: Pod, collection: Collection) -> bool:
    """Return whether a ComputeDomain's controller creates this template, for an NVLink channel."""
    objects = collection.of("resource.nvidia.com", "ComputeDomain")
    steps = ("channel", "resourceClaimTemplate", "name")
    return any(
        text(at(obj.spec, steps)) == template and obj.namespace == pod.object.namespace
        for obj in objects
    )
