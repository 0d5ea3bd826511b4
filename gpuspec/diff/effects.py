"""The effect of a field's change on running pods, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.diff.defaults import is_default
from gpuspec.diff.immutable import is_refused
from gpuspec.diff.steps import Pattern, begins, parsed
from gpuspec.kinds import traits_of
from gpuspec.kinds.model import Rolls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.diff.fields import Raw
    from gpuspec.diff.model import Effect

Kind = tuple[str, str]


_OTHERS = Rolls("new pods", "running pods stay as they are")


def rolls(kind: Kind, new: dict[str, Any]) -> Rolls:
    """Return how an object replaces its pods when their template changes."""
    kind_rolls = traits_of(*kind).rolls or _OTHERS
    for alternative in kind_rolls.otherwise:
        if _at(new, *alternative.field.split(".")) == alternative.value:
            return replace(kind_rolls, effect=alternative.effect, text=alternative.text)
    return kind_rolls


def is_generated(obj: dict[str, Any]) -> bool:
    """Return whether an object has `generateName`, so that it matches no existing object."""
    return bool(_at(obj, "metadata", "generateName")) and not _at(obj, "metadata", "name")


def effect_of(
    kind: Kind,
    raw: Raw,
    old: dict[str, Any],
    new: dict[str, Any],
    pods: Iterable[tuple[Pattern, ...]],
) -> Effect:
    """Return the effect of a field's change; `pods`: the patterns of the object's pods."""
    inside = any(begins(raw.steps, pattern) for pod in pods for pattern in pod)
    if is_generated(new) or is_default(kind, raw, in_pod=inside):
        return "in place"
    if is_refused(kind, raw, old, new):
        return "refused"
    if raw.steps[:1] in (("metadata",), ("status",)):
        return "in place"
    kind_rolls = rolls(kind, new)
    if any(begins(raw.steps, prefix) for prefix in parsed(kind_rolls.but)):
        return "in place"
    if inside or any(begins(raw.steps, prefix) for prefix in parsed(kind_rolls.also)):
        return kind_rolls.effect
    return "in place"


def _at(value: Any, *steps: str) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value
