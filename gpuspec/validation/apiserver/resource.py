"""Dynamic resource allocation: classes of devices, claims on devices.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gpuspec.validation.apiserver import resources
from gpuspec.validation.apiserver.reading import is_new, maps, refused, size, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LARGEST = 10 * 1024
"""The most bytes of a driver's parameters."""


def device_class(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the extended resource of a device class is one."""
    name = spec.get("extendedResourceName")
    if name and is_new(version) and not resources.is_extended(name):
        yield refused(("extendedResourceName",), f"`{name}` is not an extended resource")


def opaque(configuration: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a driver's parameters are not too large."""
    parameters = configuration.get("parameters")
    text = json.dumps(parameters, ensure_ascii=False, separators=(",", ":"))
    yield from too_large(("parameters",), size([text]), _LARGEST)


def claim(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that constraints and configurations are about requests of the claim."""
    names = set(_names(spec))
    for field in ("constraints", "config"):
        for number, request in maps(spec, field):
            for index, name in enumerate(request.get("requests") or ()):
                if name not in names:
                    yield refused(
                        (field, number, "requests", index), f"the claim has no request `{name}`"
                    )


def request(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a request for all devices has no count."""
    if value.get("allocationMode") == "All" and value.get("count"):
        yield refused(("count",), "it cannot be set with `allocationMode: All`")


def _names(spec: Map) -> Iterator[str]:
    for _, request in maps(spec, "requests"):
        yield request.get("name") or ""
        for _, sub in maps(request, "firstAvailable"):
            yield f"{request.get('name')}/{sub.get('name')}"


def selector(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that device selectors compile."""
    from gpuspec.validation.cel.expressions import of_device

    yield from of_device(value)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "resource.v1.CELDeviceSelector": (selector,),
    "resource.v1.DeviceClaim": (claim,),
    "resource.v1.DeviceClassSpec": (device_class,),
    "resource.v1.DeviceSubRequest": (request,),
    "resource.v1.ExactDeviceRequest": (request,),
    "resource.v1.OpaqueDeviceConfiguration": (opaque,),
}
