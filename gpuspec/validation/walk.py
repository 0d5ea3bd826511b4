"""The walk that finds faults field by field.

It needs no compilation and reads only the definitions that an object uses, so it is also the
quickest check of a few objects.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gpuspec.manifests import Path
from gpuspec.validation.nodes import FORMATS, SchemaNode
from gpuspec.validation.violation import Reason, SchemaViolation, placed

_BYTES = 256


class SchemaFault(NamedTuple):
    """One value that a node does not allow."""

    reason: Reason
    node: SchemaNode
    """The node that does not allow it."""
    value: Any
    """The value that was checked; for a missing field, the map without it."""
    path: Path
    keyword: str = ""
    """The part of the node's schema that the value violates."""
    rule: dict[str, Any] | None = None
    """The row of the server's table that is violated, or its limit of the names in a map."""


def faults(top: SchemaNode, value: object) -> list[SchemaFault | SchemaViolation]:
    """Return all faults of a value, in the value's own order.

    The value is plain, like JSON: dict, list, str, int, float, bool, None.
    """
    all_faults: list[SchemaFault | SchemaViolation] = []
    _visit(top, value, (), all_faults)
    return all_faults


def _visit(
    node: SchemaNode, value: Any, path: Path, all_faults: list[SchemaFault | SchemaViolation]
) -> None:
    kind = type(value)
    if kind not in node.types and not (
        # JSON has one type of number: 3.0 is an integer.
        kind is float and int in node.types and value.is_integer()
    ):
        all_faults.append(SchemaFault("wrong-type", node, value, path))
        return
    if node.allowed is not None and value not in node.allowed:
        all_faults.append(SchemaFault("wrong-value", node, value, path, "enum"))
        return
    if node.limits is not None and (keyword := node.limits.broken(_kept(node, value))):
        reason: Reason = "refused" if keyword in node.refuses else "wrong-value"
        all_faults.append(SchemaFault(reason, node, value, path, keyword))
    if kind is dict:
        _fields(node, value, path, all_faults)
    elif kind is list:
        _items(node, value, path, all_faults)


def _kept(node: SchemaNode, value: Any) -> Any:
    """Return a value without the fields that count as absent."""
    if type(value) is not dict or None not in value.values():
        return value
    return {
        name: item
        for name, item in value.items()
        if item is not None or not node.drops_null_of(name)
    }


def _fields(
    node: SchemaNode,
    value: dict[str, Any],
    path: Path,
    all_faults: list[SchemaFault | SchemaViolation],
) -> None:
    before = len(all_faults)
    for name, item in value.items():
        field = node.field(name)
        if field is None:
            if node.closed:
                all_faults.append(SchemaFault("unknown-field", node, item, (*path, name)))
        elif type(item) not in field.plain and (item is not None or not field.drops_null):
            _visit(field, item, (*path, name), all_faults)
    if node.required:
        all_faults.extend(
            SchemaFault("missing-field", node, value, (*path, name))
            for name in node.required
            if name not in value or (value[name] is None and node.drops_null_of(name))
        )
    if node.keys is not None:
        all_faults.extend(
            SchemaFault("refused", node, name, (*path, name), keyword, node.keys.schema)
            for name in value
            if (keyword := node.keys.broken(name))
        )
    if node.beyond is not None:
        all_faults.extend(
            SchemaFault("refused", node, value, (*path, *inside), keyword, row)
            for inside, keyword, row in node.beyond.lacks(value)
        )
        # What cannot be decoded, the server's validation never sees.
        blind = [fault for fault in all_faults[before:] if not is_decoded(fault)]
        if node.beyond.relations and all(fault.reason == "unknown-field" for fault in blind):
            # A field that another release has is dropped; what is asked of its map may be for it.
            value = without(value, [fault.path[len(path) :] for fault in blind])
            parents = {fault.path[:-1] for fault in blind}
            above = {parent[:length] for parent in parents for length in range(len(parent))}
            all_faults += (
                violation
                for violation in (placed(path, wrong) for wrong in node.beyond.broken(value))
                if violation.path not in above and parents.isdisjoint(_beginnings(violation.path))
            )


def without(value: Any, paths: list[Path]) -> Any:
    """Return a value without the fields at some paths in it, as a copy."""
    inside: dict[str | int, list[Path]] = {}
    for path in paths:
        inside.setdefault(path[0], []).append(path[1:])
    if isinstance(value, list):
        return [
            without(item, inside[at]) if at in inside else item for at, item in enumerate(value)
        ]
    return {
        name: without(item, inside[name]) if name in inside else item
        for name, item in value.items()
        if () not in inside.get(name, ())
    }


def _beginnings(path: Path) -> Iterator[Path]:
    """Yield a path, and those to what is above it."""
    return (path[:length] for length in range(len(path) + 1))


def is_decoded(schema_fault: SchemaFault | SchemaViolation) -> bool:
    """Return whether the server's decoder accepts the faulty value: a refusal comes later, and the
    decoder ignores an absent field or value.
    """
    return schema_fault.reason == "refused" or is_absent(schema_fault)


def is_absent(schema_fault: SchemaFault | SchemaViolation) -> bool:
    """Return whether the fault is an absent field or a null."""
    return isinstance(schema_fault, SchemaFault) and (
        schema_fault.reason == "missing-field"
        or (schema_fault.reason == "wrong-type" and schema_fault.value is None)
    )


def is_list_of_bytes(schema_fault: SchemaFault) -> bool:
    """Return whether the fault is a list of bytes where the schema has base64."""
    limits = schema_fault.node.limits
    return (
        schema_fault.reason == "wrong-type"
        and isinstance(schema_fault.value, list)
        and limits is not None
        and limits.schema.get("noun") == FORMATS["byte"]["noun"]
        and all(isinstance(item, int) and 0 <= item < _BYTES for item in schema_fault.value)
    )


def is_needed(schema_fault: SchemaFault | SchemaViolation) -> bool:
    """Return whether the fault is an absent or empty field that the server requires."""
    return isinstance(schema_fault, SchemaFault) and schema_fault.keyword == "needs"


def _items(
    node: SchemaNode, value: list[Any], path: Path, all_faults: list[SchemaFault | SchemaViolation]
) -> None:
    if node.items is not None:
        for index, item in enumerate(value):
            if type(item) not in node.items.plain:
                _visit(node.items, item, (*path, index), all_faults)
            if item is None and node.items.refuses and type(None) in node.items.types:
                _none(node.items, (*path, index), all_faults)
    _repeated(node, value, path, all_faults)


def _none(node: SchemaNode, path: Path, all_faults: list[SchemaFault | SchemaViolation]) -> None:
    """Return the faults of a null item: the server reads it as an empty one."""
    if node.beyond is not None:
        all_faults.extend(
            SchemaFault("refused", node, {}, (*path, *inside), keyword, row)
            for inside, keyword, row in node.beyond.lacks({})
        )
        all_faults += (placed(path, violation) for violation in node.beyond.broken({}))
    elif node.limits is not None and str in node.types and (keyword := node.limits.broken("")):
        all_faults.append(SchemaFault("refused", node, "", path, keyword))


def _repeated(
    node: SchemaNode, value: list[Any], path: Path, all_faults: list[SchemaFault | SchemaViolation]
) -> None:
    if node.limits is not None and node.limits.unique:
        reason: Reason = "refused" if node.refuses else "wrong-value"
        all_faults.extend(
            SchemaFault(reason, node, value[index], (*path, index), "unique")
            for index in node.limits.repeated(value)
        )


def left(top: SchemaNode, value: object) -> list[SchemaFault | SchemaViolation]:
    """Return the faults that no JSON Schema can express, in an otherwise valid value."""
    all_faults: list[SchemaFault | SchemaViolation] = []
    if _leads(top):
        _look(top, value, (), all_faults)
    return all_faults


def _look(
    node: SchemaNode, value: Any, path: Path, all_faults: list[SchemaFault | SchemaViolation]
) -> None:
    if type(value) is dict:
        for name, field in _ways(node):
            if (item := value.get(name)) is not None:
                _look(field, item, (*path, name), all_faults)
        if node.others is not None and _leads(node.others):
            for name, item in value.items():
                _look(node.others, item, (*path, name), all_faults)
        if node.beyond is not None:
            all_faults.extend(placed(path, violation) for violation in node.beyond.broken(value))
    elif type(value) is list:
        if node.items is not None and _leads(node.items):
            for index, item in enumerate(value):
                _look(node.items, item, (*path, index), all_faults)
        _repeated(node, value, path, all_faults)


def _ways(node: SchemaNode) -> list[tuple[str, SchemaNode]]:
    """Return the fields of a map with checks that are left."""
    if node.ways is None:
        fields = [(name, field) for name in node.schemas if (field := node.field(name)) is not None]
        node.ways = [(name, field) for name, field in fields if _leads(field)]
    return node.ways


def _leads(node: SchemaNode) -> bool:
    """Return whether a node's values have checks that are left."""
    if node.leads is None:
        node.leads = False  # of what is in itself nothing is left
        node.leads = _asks(node) or any(_leads(inner) for inner in node.inner())
    return node.leads


def _asks(node: SchemaNode) -> bool:
    return (node.beyond is not None and bool(node.beyond.relations)) or (
        bool(node.refuses) and node.limits is not None and node.limits.unique
    )
