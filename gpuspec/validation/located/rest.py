"""The checks of a file's schema that the walk does not know, by an engine for all of JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.nodes import root

if TYPE_CHECKING:
    from gpuspec.validation.bundle import Kind
    from gpuspec.validation.located.bundle import LocatedBundle
    from gpuspec.validation.nodes import SchemaNode
    from gpuspec.validation.violation import SchemaViolation


def rest(located_bundle: LocatedBundle, kind: Kind, value: Any) -> tuple[SchemaViolation, ...]:
    """Return the violations of keywords that the walk does not know, for a value where it finds
    nothing.
    """
    if not located_bundle.has_rest:
        return ()
    return located_bundle.engine.violations(_seen(root(located_bundle, kind), value))


def _seen(node: SchemaNode | None, value: Any) -> Any:
    """Return a value without the fields that the server drops, and with 3.0 as the integer 3."""
    if isinstance(value, float) and value.is_integer():
        return round(value)
    if isinstance(value, list) and node is not None and node.items is not None:
        return [_seen(node.items, item) for item in value]
    if not isinstance(value, dict) or node is None:
        return value
    fields_kept = {}
    for name, item in value.items():
        field = node.field(name)
        if item is not None or field is None or not field.drops_null:
            fields_kept[name] = _seen(field, item)
    return fields_kept
