"""Names with dots: `sets.contains` is one function, `self.name` is a field."""

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
"""The names of types, which are values too."""


def dotted(node: Node) -> str:
    """Return a chain of names as one; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.optional:
        parts.append(node.field)
        node = node.of
    return ".".join([node.name, *reversed(parts)]) if isinstance(node, Name) else ""


def names(node: Node) -> set[str]:
    """Return every name that an expression says, of variables among others."""
    if isinstance(node, Name):
        return {node.name}
    return set[str]().union(*(names(inner_node) for inner_node in _nodes(node)))


def _nodes(parts: object) -> Iterator[Node]:
    """Yield the nodes in a node's parts."""
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, Node):
            yield part
        else:
            yield from _nodes(part)


def namespaced(node: CelCall) -> tuple[str, Node | None, tuple[Node, ...]]:
    """Return the name of a call's function, what stands before its dot, and its arguments."""
    if node.of is not None and (space := dotted(node.of)):
        full = f"{space}.{node.name}"
        if any(not form.signature.member for form in FUNCTIONS.get(full, ())):
            return full, None, node.arguments
    return node.name, node.of, node.arguments
