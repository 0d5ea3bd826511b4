"""Checks of literals when an expression is compiled: patterns, durations, timestamps, format
strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cel import times
from gpuspec.cel.nodes import Array, CelError, Constant, Node
from gpuspec.cel.regexes import compiled
from gpuspec.cel.values import Failure, UnknownResult

if TYPE_CHECKING:
    from collections.abc import Callable

_READERS: dict[str, Callable[[str], object]] = {
    "matches": compiled,
    "duration": times.duration,
    "timestamp": times.timestamp,
    "find": compiled,
    "findAll": compiled,
}


def check_literals(name: str, parts: tuple[Node, ...]) -> None:
    """Check the literals in a call: patterns, durations, timestamps."""
    reader = _READERS.get(name)
    place = 1 if name in ("matches", "find", "findAll") else 0
    if reader is None or len(parts) <= place:
        return
    part = parts[place]
    if isinstance(part, Constant) and isinstance(part.value, str):
        try:
            reader(part.value)
        except Failure as failure:
            raise CelError(str(failure), part.at) from None
        except UnknownResult:
            return


def check_count(text: Node, values: Array) -> None:
    """Check that a literal format string has as many verbs as its literal list has values."""
    if isinstance(text, Constant) and isinstance(text.value, str):
        places = text.value.replace("%%", "").count("%")
        if places != len(values.items):
            message = f"the format has {places} placeholders, but {len(values.items)} values"
            raise CelError(message, values.at)
