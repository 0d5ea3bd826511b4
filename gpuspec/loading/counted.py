"""Releases of charts, for whoever adds up pods: those of which all is known, and the others by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.loading.charted import charted
from gpuspec.loading.values_files import values_files

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gpuspec.loading.units import Unit

_SHOWN = 12
"""Releases that are named; more of them nobody reads."""


class Counted(msgspec.Struct, frozen=True):
    """What comes of the releases of a run."""

    units: tuple[Unit, ...] = ()
    """The objects of those that are known in full."""
    notes: tuple[str, ...] = ()
    """What is said of the others."""


def counted(
    named: Sequence[str], plain: Sequence[Unit], rendered: Collection[tuple[str, str]] = ()
) -> Counted:
    """Return what comes of the releases among some objects, and in the files of values that were
    named."""
    units: list[Unit] = []
    others: dict[str, None] = {}
    for unit in charted((*plain, *values_files(named, plain)), rendered):
        if unit.charted is None or not unit.object.has_pods:
            continue
        if unit.charted.made.whole:
            units.append(unit)
        else:
            others[unit.charted.release.name or unit.charted.release.chart] = None
    return Counted(tuple(units), tuple(_notes(list(others))))


def _notes(names: list[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    name_list = ", ".join(f"`{name}`" for name in names[:_SHOWN]) + more
    return [
        f"not counted, for their charts are not known in full: the pods of {name_list}; count what "
        "`helm template` prints"
    ]
