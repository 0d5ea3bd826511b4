"""The maps that a webhook makes of null in a list of maps, and its operator's checks of them.

A program that decodes an object into its own types, and writes it back, has no null in such a list:
it writes a map whose required fields have zero values. The schema accepts that, and the operator
may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import at
from gpuspec.validation.apiserver.reading import refused
from gpuspec.validation.messages import violation
from gpuspec.validation.violation import SchemaViolation
from gpuspec.validation.walk import faults, is_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.nodes import SchemaNode

_NOTHING = ((str, ""), (bool, False), (int, 0), (float, 0))


def refusals(top: SchemaNode, value: Any, nulls: Iterable[Path]) -> Iterator[SchemaViolation]:
    """Yield each null whose replacement map is refused."""
    for path in nulls:
        refused_faults = [
            fault
            for fault in faults(top, _written(top, value, path))
            if fault.reason == "refused" and fault.path[: len(path)] == path
        ]
        for fault in sorted(refused_faults, key=is_needed, reverse=True)[:1]:
            schema_violation = (
                fault if isinstance(fault, SchemaViolation) else violation(top, fault)
            )
            yield refused(path, f"null becomes an empty map: {schema_violation.message}")


def _written(node: SchemaNode, value: Any, path: Path) -> Any:
    """Return an object with the map that is written at a path; all else is shared with the object."""
    if not path:
        return _empty(node)
    step, *rest = path
    inner = node.items if isinstance(step, int) else node.field(step)
    assert inner is not None  # the schema leads to what it finds wrong
    value_copy = value.copy()
    value_copy[step] = _written(inner, at(value, (step,)), tuple(rest))
    return value_copy


def _empty(node: SchemaNode) -> dict[str, Any]:
    """Return a map whose required fields have zero values."""
    empty: dict[str, Any] = {}
    for name in node.required:
        field = node.field(name)
        if field is None:
            continue
        if dict in field.types:
            empty[name] = _empty(field)
        for kind, nothing in _NOTHING:
            if kind in field.types:
                empty[name] = nothing
                break
    return empty
