"""MIG slices among devices: their resource names, and the models with them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel, MigProfile
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.devices import DeviceRequest

PREFIX = "nvidia.com/mig-"
# Anything that someone who means a slice writes: without the domain or the prefix, with an
# underscore, in capitals.
_LOOSE = re.compile(
    r"(?:(?:nvidia\.com|mig\.nvidia\.com)/)?(?:mig[-_.]?)?((?:[0-9]{1,4}c\.)?[0-9]{1,4}g[.\-_]?[0-9]{1,4}gb?)"
    r"((?:[.+\-](?:me|gfx)(?:\.all)?)?)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?:([0-9]{1,4})c\.)?([0-9]{1,4})g\.([0-9]{1,4})gb")


def slices(container: PodContainer) -> list[DeviceRequest]:
    """Return the slices that a container requests, by profile."""
    return [device for device in container.devices if device.name.startswith(PREFIX)]


@cache
def owners() -> dict[str, tuple[tuple[GpuModel, MigProfile], ...]]:
    """Return, by resource, the models with such a slice, and its profile there."""
    from gpuspec import hardware

    profiles_by_resource: dict[str, tuple[tuple[GpuModel, MigProfile], ...]] = {}
    for model in hardware.models():
        for profile in model.mig:
            profiles_by_resource[profile.resource] = (
                *profiles_by_resource.get(profile.resource, ()),
                (model, profile),
            )
    return profiles_by_resource


@lru_cache(1024)
def written(name: str) -> str | None:
    """Return the resource that a name similar to a slice's means; None for another name."""
    match = _LOOSE.fullmatch(name)
    if match is None:
        return None
    parts = re.fullmatch(
        r"((?:[0-9]{1,4}c\.)?)([0-9]{1,4}g)[.\-_]?([0-9]{1,4})gb?", match[1], re.IGNORECASE
    )
    if parts is None:
        return None
    attribute = match[2].lower()
    if attribute.startswith("+"):
        attribute = "." + attribute[1:]
    return f"{PREFIX}{parts[1].lower()}{parts[2].lower()}.{parts[3]}gb{attribute}"


def nearest(resource: str, among: tuple[GpuModel, ...]) -> str | None:
    """Return the slice of these models that is likely meant: as many compute slices, and the
    nearest memory."""
    match = _PARTS.match(resource.removeprefix(PREFIX))
    if match is None:
        return None
    slices_and_memory = of_digits(match[2]), of_digits(match[3])
    candidates: list[tuple[int, int, str]] = []
    for model in among:
        for profile in model.mig:
            have = _PARTS.fullmatch(profile.name)
            if have is not None and of_digits(have[2]) == slices_and_memory[0]:
                size = of_digits(have[3])
                candidates.append((abs(size - slices_and_memory[1]), size, profile.resource))
    return min(candidates)[2] if candidates else None


def computes_apart(resource: str) -> bool:
    """Return whether the name is that of a compute instance (`1c.3g.20gb`), which no plugin
    advertises."""
    match = _PARTS.match(resource.removeprefix(PREFIX))
    return match is not None and match[1] is not None and match[1] != match[2]
