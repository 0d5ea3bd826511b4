"""Dotted names: `sets.contains` is one function, `self.name` is a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cel.library import FUNCTIONS
from gpuspec.cel.nodes import CelCall, Name, Node, Select

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = ("bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type")
_LONG: tuple[str, ...] = ("google.protobuf.Duration", "google.protobuf.Timestamp", "optional_type")
_LONG += ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.URL", "kubernetes.Semver")
TYPES = {name: name for name in _PLAIN + _LONG}
"""The names of types, which can also be used as values."""


def dotted(node: Node) -> str:
    """Return a chain of field selections as one dotted name; empty for any other node."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.optional:
        parts.append(node.field)
        node = node.of
    return ".".join([node.name, *reversed(parts)]) if isinstance(node, Name) else ""


def names(node: Node) -> set[str]:
    """Return every name in an expression, variables included."""
    if isinstance(node, Name):
        return {node.name}
    return set[str]().union(*(names(inner_node) for inner_node in _nodes(node)))


def _nodes(parts: object) -> Iterator[Node]:
    """Yield the nodes directly below a node."""
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, Node):
            yield part
        else:
            yield from _nodes(part)


def namespaced(node: CelCall) -> tuple[str, Node | None, tuple[Node, ...]]:
    """Return the function name of a call, its receiver and its arguments."""
    if node.of is not None and (space := dotted(node.of)):
        full = f"{space}.{node.name}"
        if any(not form.signature.member for form in FUNCTIONS.get(full, ())):
            return full, None, node.arguments
    return node.name, node.of, node.arguments
