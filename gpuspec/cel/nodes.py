"""The parts of an expression."""

from __future__ import annotations

from typing import NamedTuple


class CelError(Exception):
    """An expression that a server does not compile."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at
        """Where in the text."""


class Constant(NamedTuple):
    """A value that is written out."""

    value: object
    at: int


class Name(NamedTuple):
    """A variable, or the first part of a longer name."""

    name: str
    at: int


class Select(NamedTuple):
    """A field of something: `a.b`, `a.?b`."""

    of: Node
    field: str
    optional: bool
    at: int


class CelCall(NamedTuple):
    """A function or an operator; `of` is what stands before the dot."""

    name: str
    of: Node | None
    arguments: tuple[Node, ...]
    at: int


class Array(NamedTuple):
    """A list that is written out; of each item, whether it is left out where it is none."""

    items: tuple[tuple[Node, bool], ...]
    at: int


class CelMap(NamedTuple):
    """A map that is written out, or an object of a named type."""

    entries: tuple[tuple[Node, Node, bool], ...]
    kind: str
    at: int


class Has(NamedTuple):
    """Whether a field is there: `has(a.b)`."""

    of: Select
    at: int


class Loop(NamedTuple):
    """What is asked of all items of a list, or keys of a map: `a.all(x, x > 0)`."""

    name: str
    of: Node
    variables: tuple[str, ...]
    arguments: tuple[Node, ...]
    at: int


Node = Constant | Name | Select | CelCall | Array | CelMap | Has | Loop
