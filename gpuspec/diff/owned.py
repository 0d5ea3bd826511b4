"""Fields that a controller sets, whether a manifest sets them too or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff.model import ChangeRemark
from gpuspec.diff.steps import begins, parsed
from gpuspec.diff.values import ABSENT
from gpuspec.kinds.owned import KUEUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.diff.fields import Raw
    from gpuspec.diff.model import OwnedField, SideObject


def remarks(raws: Sequence[Raw], old: SideObject, new: SideObject) -> Iterator[ChangeRemark]:
    """Yield the controller that wins, for fields that change or that the manifest sets too."""
    before = {field.field for field in old.owned}
    sentences = [
        text
        for field in new.owned
        if (text := _said(field, raws, is_new=field.field not in before)) is not None
    ]
    yield from (ChangeRemark("autoscaler", text, alarm=True) for text in sentences)
    was, by = (next((pod.by for pod in obj.pods if pod.by), None) for obj in (old, new))
    if by is not None and was is None and not sentences:
        yield ChangeRemark("autoscaler", f"{by} scales it from now on")


def _said(owned_field: OwnedField, raws: Sequence[Raw], *, is_new: bool) -> str | None:
    (pattern,) = parsed((owned_field.field,))
    name = f"`{pattern[-1]}`"
    changed = [raw for raw in raws if begins(raw.steps, pattern)]
    if owned_field.is_written:
        verb = "sets" if owned_field.by == KUEUE else "scales"
        is_told = bool(changed) or is_new
        return (
            f"{name} is written, but {owned_field.by} {verb} it: each apply resets it"
            if is_told
            else None
        )
    if owned_field.by == KUEUE or not any(raw.new is ABSENT for raw in changed):
        return None
    if "*" in pattern:
        return f"{name} is left out, but each apply still resets it: it replaces the whole list"
    default = "1" if owned_field.is_beside else "its default"
    return f"{name} is left to {owned_field.by}: a client-side apply sets it to {default} once"
