"""Expressions in Kubernetes' own kinds, which a server compiles when an object with them is created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.cel.checking import type_of
from gpuspec.cel.nodes import CelError
from gpuspec.cel.scopes import ADMISSION, AUTHORIZER, DEVICES, PATCHES
from gpuspec.cel.syntax import parse
from gpuspec.cel.types import DYN, CelType, a_type
from gpuspec.cel.values import UnknownResult
from gpuspec.validation.violation import SchemaViolation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.manifests import Path

    Map = dict[str, Any]

_ATTRIBUTES = 'write it as in `device.attributes["gpu.example.com"].name == "h100"`'


def of_device(selector: Map) -> Iterator[SchemaViolation]:
    """Yield the faults of the expression that selects a device."""
    violations, _ = judged(selector, "expression", DEVICES, ("bool", "any", "dyn"), _ATTRIBUTES)
    yield from violations


def of_conditions(
    value: Map, path: Path = (), params: Mapping[str, CelType] | None = None
) -> Iterator[SchemaViolation]:
    """Yield the faults of the match conditions of a webhook or a policy."""
    scope = {**ADMISSION, **AUTHORIZER, **(params or {})}
    yield from _each(value, "matchConditions", "expression", scope, ("bool",), path)


def of_policy(spec: Map) -> Iterator[SchemaViolation]:
    """Yield the faults of the expressions of an admission policy."""
    params: dict[str, CelType] = {"params": DYN} if spec.get("paramKind") else {}
    yield from of_conditions(spec, params=params)
    scope = {**ADMISSION, **AUTHORIZER, **params}
    cel_types: dict[str, CelType] = {}
    for index, item in _items(spec, "variables"):
        composed = {**scope, "variables": CelType("variables", fields=dict(cel_types))}
        violations, kind = judged(item, "expression", composed, (), at=("variables", index))
        yield from violations
        cel_types[str(item.get("name"))] = kind
    scope["variables"] = CelType("variables", fields=cel_types)
    yield from _each(spec, "validations", "expression", scope, ("bool",))
    plain = {name: cel_type for name, cel_type in scope.items() if name not in AUTHORIZER}
    yield from _each(spec, "validations", "messageExpression", plain, ("string",))
    yield from _each(spec, "auditAnnotations", "valueExpression", scope, ("string", "null_type"))
    for index, item in _items(spec, "mutations"):
        for field, result_type in (
            ("applyConfiguration", "Object"),
            ("jsonPatch", "list(JSONPatch)"),
        ):
            inner = item.get(field)
            if isinstance(inner, dict):
                at = ("mutations", index, field)
                yield from judged(inner, "expression", {**scope, **PATCHES}, (result_type,), at=at)[
                    0
                ]


def _each(
    value: Map,
    field: str,
    inner: str,
    scope: Mapping[str, CelType],
    result_types: tuple[str, ...],
    path: Path = (),
) -> Iterator[SchemaViolation]:
    for index, item in _items(value, field):
        yield from judged(item, inner, scope, result_types, at=(*path, field, index))[0]


def _items(value: Map, field: str) -> Iterator[tuple[int, Map]]:
    for index, item in enumerate(value.get(field) or ()):
        if isinstance(item, dict):
            yield index, item


def judged(
    value: Map,
    field: str,
    scope: Mapping[str, CelType],
    result_types: tuple[str, ...],
    hint: str | None = None,
    at: Path = (),
) -> tuple[list[SchemaViolation], CelType]:
    """Return the faults of the expression in a field, and its type; without wanted types, any type
    is valid.
    """
    text = value.get(field)
    if not isinstance(text, str) or not text.strip():
        return [], DYN  # that it is missing is said elsewhere
    try:
        kind = type_of(parse(text), scope)
    except CelError as fault:
        message = f"the expression does not compile ({fault}, at {_place(text, fault.at)})"
        return [SchemaViolation((*at, field), message, "refused", hint=hint)], DYN
    except (UnknownResult, RecursionError):
        return [], DYN
    if result_types and str(kind) not in result_types:
        nouns = " or ".join(a_type(CelType(name)) for name in result_types)
        message = f"the expression returns {a_type(kind)}, not {nouns}"
        more = "convert it: `bool(…)`, `string(…)`" if kind.name == "dyn" else None
        return [SchemaViolation((*at, field), message, "refused", hint=more or hint)], kind
    return [], kind


def _place(text: str, at: int) -> str:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return f"character {column}" + (f" of its line {line}" if "\n" in text.strip() else "")
