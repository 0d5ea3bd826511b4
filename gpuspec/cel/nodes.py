"""The nodes of an expression's syntax tree."""

from __future__ import annotations

from typing import NamedTuple


class CelError(Exception):
    """An expression that the API server cannot compile."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at
        """The offset in the text."""


class Constant(NamedTuple):
    """A literal value."""

    value: object
    at: int


class Name(NamedTuple):
    """A variable, or the first part of a dotted name."""

    name: str
    at: int


class Select(NamedTuple):
    """A field selection: `a.b`, `a.?b`."""

    of: Node
    field: str
    optional: bool
    at: int


class CelCall(NamedTuple):
    """A call of a function or operator; `of` is the receiver, before the dot."""

    name: str
    of: Node | None
    arguments: tuple[Node, ...]
    at: int


class Array(NamedTuple):
    """A list literal, with a flag per item: whether an item without a value is left out."""

    items: tuple[tuple[Node, bool], ...]
    at: int


class CelMap(NamedTuple):
    """A map literal, or an object of a named type."""

    entries: tuple[tuple[Node, Node, bool], ...]
    kind: str
    at: int


class Has(NamedTuple):
    """A test for a field's presence: `has(a.b)`."""

    of: Select
    at: int


class Loop(NamedTuple):
    """A comprehension over the items of a list or the keys of a map: `a.all(x, x > 0)`."""

    name: str
    of: Node
    variables: tuple[str, ...]
    arguments: tuple[Node, ...]
    at: int


Node = Constant | Name | Select | CelCall | Array | CelMap | Has | Loop
