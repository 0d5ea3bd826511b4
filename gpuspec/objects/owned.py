"""The fields of an object that a controller sets."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.kinds.owned import ControllerField
from gpuspec.objects.scalers import Scaler, scalers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


class ControlledField(msgspec.Struct, frozen=True):
    """A field of an object that a controller sets."""

    owned: ControllerField
    scaler: Scaler | None = None
    """The autoscaler that sets it; None if the object's own controller does."""


def held(obj: Object, collection: Collection) -> Iterator[ControlledField]:
    """Yield the fields of an object that controllers set; of several autoscalers, the first counts."""
    for owned in obj.traits.owned:
        if owned.holds(obj.value):
            yield ControlledField(owned)
        elif not owned.by:
            some = (scaler for scaler in scalers_of(obj, collection) if not scaler.of_role)
            yield from (ControlledField(owned, scaler) for scaler in islice(some, 1))


def written(obj: Object, owned: ControllerField) -> Iterator[tuple[Path, object]]:
    """Yield the path and the value of such a field where the object sets it itself."""
    holder, _, name = owned.field.rpartition(".")
    for path, inside in mappings_at(obj.value, (holder,)):
        if name in inside:
            yield obj.path(*path, name), inside[name]
