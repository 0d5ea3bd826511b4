"""The checker that finds what is wrong, field by field.

It needs no compilation and reads only the definitions that an object touches, so beside finding
the faults it gives the quickest verdict on a handful of objects.
"""

from typing import Any

from gpuspec.manifests import Path
from gpuspec.validation.nodes import Node
from gpuspec.validation.violation import Reason

Fault = tuple[Reason, Node, Any, Path]
"""What is wrong, the node that says so, the value that it was asked about, and where."""


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
        found.append(("wrong-type", node, value, path))
    elif node.allowed is not None and value not in node.allowed:
        found.append(("wrong-value", node, value, path))
    elif kind is dict:
        for name, item in value.items():
            field = node.field(name)
            if field is not None:
                _visit(field, item, (*path, name), found)
            elif node.closed:
                found.append(("unknown-field", node, item, (*path, name)))
        missing = [name for name in node.required if name not in value]
        found += [("missing-field", node, None, (*path, name)) for name in missing]
    elif kind is list and node.items is not None:
        for index, item in enumerate(value):
            _visit(node.items, item, (*path, index), found)
