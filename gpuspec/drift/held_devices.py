"""The accelerators of a running pod: from requests of its containers, and from claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import text
from gpuspec.objects.claims import GROUP, asked_by, together
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.drift.dump import Dump, Json, Kind

TEMPLATES, CLAIMS = (GROUP, "ResourceClaimTemplate"), (GROUP, "ResourceClaim")
_BESIDE = (TEMPLATES, CLAIMS, (GROUP, "DeviceClass"), ("resource.nvidia.com", "ComputeDomain"))
"""Kinds that describe the devices of a claim."""


class HeldDevices(msgspec.Struct, frozen=True):
    """The accelerators of one pod."""

    devices: dict[str, Fraction]
    """Devices by the resource with which they are, or would be, requested."""
    shared: dict[str, dict[str, Fraction]]
    """Devices of claims that other pods can use too, by `namespace/name` and resource."""
    lacking: tuple[tuple[Kind, str], ...]
    """Claims and claim templates that are missing in the dump, as `namespace/name`."""


class Holdings:
    """The accelerators of all pods in one dump."""

    def __init__(self, dump: Dump) -> None:
        self._collection = Collection()
        for kind in _BESIDE:
            for value in dump.of(kind):
                self._collection.add(Object(value))

    def of(self, value: Json) -> HeldDevices:
        """Return the accelerators of a pod."""
        devices: dict[str, Fraction] = {}
        shared: dict[str, dict[str, Fraction]] = {}
        lacking: list[tuple[Kind, str]] = []
        owner = Object(value)
        for pod in owner.pods:
            amounts, _ = together(pod, self._collection)
            devices |= _accelerators(amounts)
            for claim in pod.claims:
                for kind, field in ((TEMPLATES, "Template"), (CLAIMS, "")):
                    name = text(claim.get(f"resourceClaim{field}Name"))
                    if not name:
                        continue
                    called = f"{owner.namespace or 'default'}/{name}"
                    obj = self._collection.named(*kind, name, owner.namespace)
                    if obj is None:
                        lacking.append((kind, called))
                    elif kind == CLAIMS:
                        claimed = asked_by(obj, self._collection)
                        shared[called] = _accelerators(claimed.devices)
        return HeldDevices(devices, shared, tuple(lacking))


def _accelerators(amounts: dict[str, Fraction]) -> dict[str, Fraction]:
    return {name: count for name, count in amounts.items() if hardware.is_gpu_resource(name)}
