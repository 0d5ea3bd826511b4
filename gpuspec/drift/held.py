"""What accelerators a pod that runs has: by what its containers ask for, and by claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import text
from gpuspec.objects.claims import GROUP, together
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.drift.dump import Dump, Json

TEMPLATES = (GROUP, "ResourceClaimTemplate")
_BESIDE = (TEMPLATES, (GROUP, "DeviceClass"), ("resource.nvidia.com", "ComputeDomain"))
"""What tells the devices of a claim."""


class Held(msgspec.Struct, frozen=True):
    """The accelerators of one pod."""

    devices: dict[str, Fraction]
    """By the resource that they are, or would be, asked for by."""
    templates: tuple[str, ...]
    """Templates of its claims that the dump lacks, as `namespace/name`."""


class Holdings:
    """What the pods of one dump have."""

    def __init__(self, dump: Dump) -> None:
        self._collection = Collection()
        for kind in _BESIDE:
            for value in dump.of(kind):
                self._collection.add(Object(value))

    def of(self, value: Json) -> Held:
        """The accelerators of a pod; of a claim that several pods share nothing is one pod's."""
        devices: dict[str, Fraction] = {}
        templates: list[str] = []
        owner = Object(value)
        for pod in owner.pods:
            amounts, _ = together(pod, self._collection)
            devices |= {
                name: count for name, count in amounts.items() if hardware.is_gpu_resource(name)
            }
            for claim in pod.claims:
                name = text(claim.get("resourceClaimTemplateName"))
                if name and self._collection.named(*TEMPLATES, name, owner.namespace) is None:
                    templates.append(f"{owner.namespace or 'default'}/{name}")
        return Held(devices, tuple(templates))
