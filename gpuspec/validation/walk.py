"""The checker that finds what is wrong, field by field.

It needs no compilation and reads only the definitions that an object touches, so beside finding
the faults it gives the quickest verdict on a handful of objects.
"""

from typing import Any, NamedTuple

from gpuspec.manifests import Path
from gpuspec.validation.nodes import Node
from gpuspec.validation.violation import Reason


class Fault(NamedTuple):
    """One thing that a node does not allow."""

    reason: Reason
    node: Node
    """The node that says so."""
    value: Any
    """What it was asked about; for a missing field, the map without it."""
    path: Path
    keyword: str = ""
    """Which part of the node's schema makes a value wrong."""


def faults(top: Node, value: object) -> list[Fault]:
    """Everything in a value that a node does not allow, in the value's own order.

    The value is plain, as JSON has it: dict, list, str, int, float, bool, None.
    """
    found: list[Fault] = []
    _visit(top, value, (), found)
    return found


def _visit(node: Node, value: Any, path: Path, found: list[Fault]) -> None:
    kind = type(value)
    if kind not in node.types and not (
        # JSON has one type of number: 3.0 is an integer.
        kind is float and int in node.types and value.is_integer()
    ):
        found.append(Fault("wrong-type", node, value, path))
        return
    if node.allowed is not None and value not in node.allowed:
        found.append(Fault("wrong-value", node, value, path, "enum"))
        return
    if node.limits is not None and (keyword := node.limits.broken(_kept(node, value))):
        found.append(Fault("wrong-value", node, value, path, keyword))
    if kind is dict:
        _fields(node, value, path, found)
    elif kind is list:
        _items(node, value, path, found)


def _kept(node: Node, value: Any) -> Any:
    """A value without the fields that are as good as none."""
    if type(value) is not dict or None not in value.values():
        return value
    return {
        name: item
        for name, item in value.items()
        if item is not None or not node.drops_null_of(name)
    }


def _fields(node: Node, value: dict[str, Any], path: Path, found: list[Fault]) -> None:
    for name, item in value.items():
        field = node.field(name)
        if field is None:
            if node.closed:
                found.append(Fault("unknown-field", node, item, (*path, name)))
        elif type(item) not in field.plain and (item is not None or not field.drops_null):
            _visit(field, item, (*path, name), found)
    if node.required:
        found.extend(
            Fault("missing-field", node, value, (*path, name))
            for name in node.required
            if name not in value or (value[name] is None and node.drops_null_of(name))
        )


def _items(node: Node, value: list[Any], path: Path, found: list[Fault]) -> None:
    if node.items is not None:
        for index, item in enumerate(value):
            if type(item) not in node.items.plain:
                _visit(node.items, item, (*path, index), found)
    if node.limits is not None and node.limits.unique:
        found.extend(
            Fault("wrong-value", node, value[index], (*path, index), "unique")
            for index in node.limits.repeated(value)
        )
