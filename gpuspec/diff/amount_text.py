"""Resources, amounts and lists as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from gpuspec.diff.model import ChangeRange

CPU, MEMORY = "cpu", "memory"
_GI = 1024**3
_WORDS = {
    CPU: "CPU",
    MEMORY: "memory",
    "nvidia.com/gpu": "GPUs",
    "amd.com/gpu": "GPUs",
    "gpu.intel.com/i915": "GPUs",
    "gpu.intel.com/xe": "GPUs",
    "habana.ai/gaudi": "accelerators",
    "nvidia.com/gpu.shared": "shared GPUs",
}
_MIG = "nvidia.com/mig-"


def resource_of(name: str, span: ChangeRange) -> str:
    """Return `GPU` for one, otherwise the result of `resource`."""
    word = resource(name)
    single = span.least == span.most == 1 and name in _WORDS and word.endswith("s")
    return word.removesuffix("s") if single else word


def resource(name: str) -> str:
    """Return `GPUs`, `MIG slices 1g.10gb`, `CPU`; otherwise the resource's own name."""
    if name.startswith(_MIG):
        return f"MIG slices {name.removeprefix(_MIG)}"
    return _WORDS.get(name, name)


def amount(name: str, value: Fraction) -> str:
    """Return `4`, `0.5`, `64Gi`, `512Mi`."""
    if name != MEMORY:
        return _number(value)
    if value and abs(value) < _GI:
        return f"{_number(value * 1024 / _GI)}Mi"
    return f"{_number(value / _GI)}Gi" if value else "0"


def more(name: str, value: Fraction) -> str:
    """Return a difference: `+16`, `-64Gi`."""
    return f"{'+' if value > 0 else ''}{amount(name, value)}"


def span(name: str, of: ChangeRange) -> str:
    """Return `4`, `4–16`, or `4–?` without an upper bound."""
    least = amount(name, of.least)
    if of.most == of.least:
        return least
    return f"{least}–{'?' if of.most is None else amount(name, of.most)}"


def between(least: int, most: int | None) -> str:
    """Return `2`, `2–8`, or `2–?`."""
    return str(least) if least == most else f"{least}–{'?' if most is None else most}"


def gap(name: str, old: ChangeRange, new: ChangeRange) -> str | None:
    """Return the increase: `+16`, `+8 to +32`; None if there is none."""
    least = new.least - old.least
    if old.most is None or new.most is None:
        return f"{more(name, least)} at the least" if least else None
    most = new.most - old.most
    if not (least or most):
        return None
    return more(name, least) if least == most else f"{more(name, least)} to {more(name, most)}"


def few(items: Sequence[str], most: int = 3) -> str:
    """Return the first items, and the number of further ones."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def seconds(value: int) -> str:
    """Return `45s`, `10m`, `1h30m`."""
    from gpuspec.manifests import format_duration

    return format_duration(value)


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    # Of large amounts the third digit behind the point tells nobody anything.
    digits = 3 if abs(value) < 100 else 1
    return f"{inexact(value):.{digits}f}".rstrip("0").rstrip(".")
