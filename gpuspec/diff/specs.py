"""Compare specs as written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff.fields import differences
from gpuspec.diff.hidden import is_hidden, masked
from gpuspec.diff.model import Field, SpecChange
from gpuspec.diff.steps import written
from gpuspec.diff.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.diff.model import WrittenSpec


def changed_specs(old: Sequence[WrittenSpec], new: Sequence[WrittenSpec]) -> tuple[SpecChange, ...]:
    """Return the differing specs, in the new side's order; they match by name, and within the same
    file first."""
    pairs = _pairs(old, new)
    gone = [spec for spec in old if not any(spec is pair[0] for pair in pairs)]
    changes: list[SpecChange] = []
    for before, after in pairs:
        if before is None:
            changes.append(SpecChange("added", after.name, after.file))
        elif fields := _fields(before, after):
            changes.append(SpecChange("changed", after.name, after.file, before.file, fields))
    changes += (SpecChange("removed", spec.name, old_file=spec.file) for spec in gone)
    return tuple(changes)


def _pairs(
    old: Sequence[WrittenSpec], new: Sequence[WrittenSpec]
) -> list[tuple[WrittenSpec | None, WrittenSpec]]:
    free = [*old]
    specs: dict[int, WrittenSpec] = {}
    for same_file in (True, False):
        for at, spec in enumerate(new):
            if at in specs:
                continue
            for candidate in free:
                if candidate.name == spec.name and (candidate.at == spec.at or not same_file):
                    specs[at] = candidate
                    free.remove(candidate)
                    break
    return [(specs.get(at), spec) for at, spec in enumerate(new)]


def _fields(old: WrittenSpec, new: WrittenSpec) -> tuple[Field, ...]:
    fields: list[Field] = []
    for raw in differences(old.value, new.value, ours=True):
        hidden = is_hidden(("", ""), raw.steps)
        before, after = (
            None if value is ABSENT or hidden else masked(value) for value in (raw.old, raw.new)
        )
        path = written(raw.steps)
        fields.append(Field(path, "", path, raw.change, before, after, hidden))
    return tuple(fields)
