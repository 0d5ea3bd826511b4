"""Releases of charts, for sums of pods: those that are fully known, and the names of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.loading.charted import charted
from gpuspec.loading.values_files import values_files

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gpuspec.loading.units import Unit

_SHOWN = 12
"""How many releases a note names."""


class ReleaseObjects(msgspec.Struct, frozen=True):
    """The objects of the releases of a run."""

    units: tuple[Unit, ...] = ()
    """The objects of the releases that are fully known."""
    notes: tuple[str, ...] = ()
    """The notes on the other releases."""


def counted(
    files: Sequence[str], plain: Sequence[Unit], rendered: Collection[tuple[str, str]] = ()
) -> ReleaseObjects:
    """Return the objects of the releases among some objects, and in the named files of values."""
    units: list[Unit] = []
    others: dict[str, None] = {}
    for unit in charted((*plain, *values_files(files, plain)), rendered):
        if unit.charted is None or not unit.object.has_pods:
            continue
        if unit.charted.made.whole:
            units.append(unit)
        else:
            others[unit.charted.release.name or unit.charted.release.chart] = None
    return ReleaseObjects(tuple(units), tuple(_notes(list(others))))


def _notes(names: list[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    name_list = ", ".join(f"`{name}`" for name in names[:_SHOWN]) + more
    return [
        f"not counted, because their charts are not fully known: the pods of {name_list}; count "
        "the output of `helm template`"
    ]
