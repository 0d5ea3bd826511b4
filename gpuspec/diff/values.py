"""Decide whether two values mean the same to Kubernetes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gpuspec.manifests import parse_duration, parse_quantity

if TYPE_CHECKING:
    from gpuspec.diff.steps import Steps
    from gpuspec.manifests import Quantity

# Fields whose entries are amounts, and fields that are one. Sources: the API references of
# Kubernetes and Kueue; gpuspec's own spec.
_HOLDERS = {
    *("limits", "requests", "capacity", "hard", "overhead", "podFixed", "default"),
    *("defaultRequest", "max", "min", "resourcesPerNode", "allocatable", "reserved"),
}
_AMOUNTS = {
    *("sizeLimit", "divisor", "averageValue", "nominalQuota", "borrowingLimit", "lendingLimit"),
    *("storage", "storageSize"),
}
_OUR_AMOUNTS = {"cpu", "memory", "size", "ephemeralStorage", "scratch", "shm", "storage"}
# Whose texts are texts, whatever they look like.
_TEXTS = {
    *("labels", "annotations", "matchLabels", "nodeSelector", "env", "args", "command"),
    *("data", "stringData", "binaryData", "parameters"),
}


class _Absent:
    """The value of an absent field."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


def there(value: Any) -> Any:
    """Return the value, with null as absent, as the API server reads it."""
    return ABSENT if value is None else value


def same(old: Any, new: Any, steps: Steps, *, ours: bool = False) -> bool:
    """Return whether two scalars mean the same at a path; `ours`: of a gpuspec spec."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if old == new:
        # 1 and 1.0 are one number in JSON.
        return isinstance(old, str) == isinstance(new, str)
    if not isinstance(old, str | int | float) or not isinstance(new, str | int | float):
        return False
    if not steps or not _TEXTS.isdisjoint(step for step in steps if isinstance(step, str)):
        return False
    if _is_amount(steps, ours):
        old_quantity, new_quantity = quantity(old), quantity(new)
        if old_quantity is not None and old_quantity == new_quantity:
            return True
    return ours and _seconds(old) is not None and _seconds(old) == _seconds(new)


def _is_amount(steps: Steps, ours: bool) -> bool:
    last, before = steps[-1], steps[-2] if len(steps) > 1 else ""
    return before in _HOLDERS or last in _AMOUNTS or (ours and last in _OUR_AMOUNTS)


@lru_cache(4096, typed=True)
def quantity(value: str | int | float) -> Quantity | None:
    """Return a value as a quantity; None if it is none."""
    try:
        return parse_quantity(value)
    except ValueError:
        return None


def _seconds(value: str | int | float) -> int | None:
    try:
        return parse_duration(value) if isinstance(value, str) else None
    except ValueError:
        return None
