"""The accelerators that a container requests."""

from functools import lru_cache
from typing import Any

import msgspec

from gpuspec.hardware import DeviceResource, resource
from gpuspec.manifests import Path, Quantity

WRITTEN = (str, int, float)
"""The types that an amount may have. A constant, because amounts are tested very often."""


class DeviceRequest(msgspec.Struct, frozen=True):
    """One extended resource of accelerators in a container's limits, requests or both."""

    name: str
    """The resource: `nvidia.com/gpu`, `nvidia.com/mig-1g.10gb` …"""
    what: DeviceResource
    limit: Any
    """The limit as written; None if limits do not name the resource."""
    request: Any
    resources: Path
    """The path of the container's `resources`."""

    @property
    def count(self) -> int | None:
        """The limit, or else the request; None if it is not an integer."""
        count_value = self.limit if self.limit is not None else self.request
        if not isinstance(count_value, WRITTEN) or isinstance(count_value, bool):
            return None
        return _count(count_value)

    @property
    def path(self) -> Path:
        """Its path in limits, or in requests if limits do not name it."""
        where = "limits" if self.limit is not None else "requests"
        return (*self.resources, where, self.name)

    def at(self, where: str) -> Path:
        """Return its path in `limits` or in `requests`."""
        return (*self.resources, where, self.name)


@lru_cache(256, typed=True)
def _count(count_value: str | float) -> int | None:
    try:
        value = Quantity.parse(count_value).value
    except ValueError:
        return None
    return value.numerator if value.denominator == 1 and value >= 0 else None


def devices_of(
    limits: dict[str, Any], requests: dict[str, Any], path: Path
) -> tuple[DeviceRequest, ...]:
    """Return the accelerators in limits and requests, in the order in which they are written."""
    return tuple(
        DeviceRequest(name, device_resource, limits.get(name), requests.get(name), path)
        for name in dict.fromkeys((*limits, *requests))
        # Most names have no slash: cpu, memory. They are asked about often.
        if isinstance(name, str) and "/" in name and (device_resource := resource(name)) is not None
    )
