"""The types of expressions, and their notation: `list(string)`, `map(string, dyn)`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class CelType(NamedTuple):
    """A type: its name and its type arguments."""

    name: str
    of: tuple[CelType, ...] = ()
    fields: dict[str, CelType] | None = None
    """The fields of an object; None for any other type."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name


DYN = CelType("dyn")
BOOL, INT, STRING, NULL = CelType("bool"), CelType("int"), CelType("string"), CelType("null_type")
OPEN = frozenset({"dyn", "any", "error"})
"""The names of types about which nothing is known."""

_PART = re.compile(r"[A-Za-z0-9_.]+|[(),]")


@cache
def kind(text: str) -> CelType:
    """Read a type from its notation."""
    parts = _PART.findall(text)
    cel_type = _read(parts)
    assert not parts, text
    return cel_type


def _read(parts: list[str]) -> CelType:
    name = parts.pop(0)
    inner: list[CelType] = []
    if parts and parts[0] == "(":
        parts.pop(0)
        while parts[0] != ")":
            inner.append(_read(parts))
            if parts[0] == ",":
                parts.pop(0)
        parts.pop(0)
    return CelType(name, tuple(inner))


class Signature(NamedTuple):
    """The parameter types and the result type of a function."""

    name: str
    member: bool
    """Whether the first argument is the receiver, before the dot."""
    takes: tuple[CelType, ...]
    gives: CelType


def signature(text: str) -> Signature:
    """Read a signature: `string:contains(string) -> bool`, `size(string) -> int`."""
    head, _, gives = text.partition(" -> ")
    of, _, rest = head.rpartition(":")
    name, _, takes = rest.partition("(")
    inner = kind(f"f({takes}").of
    return Signature(name, bool(of), (kind(of), *inner) if of else inner, kind(gives))


def a_type(kind: CelType) -> str:
    """Return a type as a noun phrase."""
    name = str(kind)
    return f"{'an' if name[0] in 'aeiou' and not name.startswith('uint') else 'a'} {name}"
