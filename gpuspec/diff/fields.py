"""The fields in which two objects differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.diff.lists import aligned
from gpuspec.diff.steps import Pick, Step, Steps
from gpuspec.diff.values import ABSENT, same, there

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 1_000
"""Longest list without a merge key that is compared by item: the comparison takes quadratic
time."""


class Raw(msgspec.Struct, frozen=True):
    """A differing field with its two values, ABSENT where it is missing."""

    steps: Steps
    old: Any
    new: Any
    reordered: bool = False
    """Whether the values are the names of a list's items, in their order."""

    @property
    def change(self) -> Literal["added", "removed", "changed", "reordered"]:
        """Whether the field was added, removed or changed."""
        if self.reordered:
            return "reordered"
        return "added" if self.old is ABSENT else "removed" if self.new is ABSENT else "changed"


def differences(old: Any, new: Any, *, ours: bool = False) -> list[Raw]:
    """Return the fields in which two documents differ, in the new one's order; `ours`: gpuspec
    specs.

    These make no difference: the order of keys, of lists with merge keys and of sets; formatting;
    the notation of a quantity. null is absent. A value on one side only is one field, whatever its
    size. Defaults are not filled in.
    """
    return list(_value(there(old), there(new), (), ours))


def _value(old: Any, new: Any, steps: Steps, ours: bool) -> Iterator[Raw]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in (*new, *(key for key in old if key not in new)):
            yield from _value(
                there(old.get(key, ABSENT)), there(new.get(key, ABSENT)), (*steps, key), ours
            )
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list(old, new, steps, ours)
    elif old is ABSENT or new is ABSENT:
        if old is not new:
            yield Raw(steps, old, new)
    elif not same(old, new, steps, ours=ours):
        yield Raw(steps, old, new)


def _list(old: list[Any], new: list[Any], steps: Steps, ours: bool) -> Iterator[Raw]:
    if old == new and repr(old) == repr(new):
        return
    name = steps[-1] if steps and isinstance(steps[-1], str) else ""
    if max(len(old), len(new)) > LONG and not isinstance((old or new)[0], dict):
        yield Raw(steps, old, new)
        return
    pairs, moved = aligned(name, old, new)
    used_steps: set[Step] = set()
    for step, old_item, new_item in pairs:
        if step in used_steps and isinstance(step, Pick):
            # Two flags of one name.
            step = Pick(f"{step.text}#{len(used_steps)}")
        used_steps.add(step)
        yield from _value(there(old_item), there(new_item), (*steps, step), ours)
    if moved is not None:
        yield Raw(steps, *moved, reordered=True)
