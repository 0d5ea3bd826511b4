"""Custom objects checked against the rules of their definitions (`x-kubernetes-validations`), as at
a create.

Source: k8s.io/apiextensions-apiserver 1.37, pkg/apiserver/schema/cel/validation.go. Rules about an
object's previous state are left out by `schemas/make_crds.py`. The cost of rules is not counted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.cel.running import made
from gpuspec.cel.syntax import parse
from gpuspec.cel.values import Failure, Optional, UnknownResult
from gpuspec.manifests import parse_path
from gpuspec.validation.cel.data import DataSchema, kept, seen, there
from gpuspec.validation.violation import API_SERVER, SchemaViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.cel.loops import Run
    from gpuspec.manifests import Path
    from gpuspec.validation.bundle import Bundle, Kind, Schema

_LONGEST = 120
_LONGEST_PREFIX = 58
_SUFFIX = "bcdfg"


def broken(bundle: Bundle, kind: Kind, value: dict[str, Any]) -> Iterator[SchemaViolation]:
    """Yield the rules that an object violates though its schema allows it."""
    yield from _walk(_shape(bundle, kind), _named(value), ())


def broken_by(bundle: Bundle, schema: Schema, value: dict[str, Any]) -> Iterator[SchemaViolation]:
    """Yield the rules that a value violates, by a schema that is no kind's."""
    yield from _walk(DataSchema(bundle, schema), value, ())


@cache
def _shape(bundle: Bundle, kind: Kind) -> DataSchema:
    return DataSchema(bundle, bundle.root(kind))


def _named(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its final name: a server first makes one from `generateName`."""
    metadata = value.get("metadata") or {}
    prefix = metadata.get("generateName")
    if not prefix or metadata.get("name"):
        return value
    return {**value, "metadata": {**metadata, "name": prefix[:_LONGEST_PREFIX] + _SUFFIX}}


def _walk(shape: DataSchema, value: Any, path: Path) -> Iterator[SchemaViolation]:
    if value is None:
        return
    if shape.rules:
        for rule in shape.rules:
            if problem := _said(rule, value, shape):
                message, hint = problem
                at = (*path, *parse_path(rule.get("fieldPath", "")))
                by = rule.get("then", API_SERVER)
                yield SchemaViolation(at, message, "refused", hint=hint, by=by)
    if isinstance(value, dict):
        for name, field in shape.ways():
            yield from _walk(field, there(value, name, field), (*path, name))
        others = shape.rest("additionalProperties")
        if others is not None and others.leads:
            for name, item in kept(value, others).items():
                yield from _walk(others, item, (*path, name))
    elif isinstance(value, list):
        items = shape.rest("items")
        if items is not None and items.leads:
            for index, item in enumerate(value):
                yield from _walk(items, item, (*path, index))


def _said(rule: dict[str, str], value: Any, shape: DataSchema) -> tuple[str, str | None] | None:
    """Return the server's message for a violated rule, and a hint; None if the rule holds or its
    result is unknown.
    """
    text = rule["rule"].strip()
    variables: dict[str, Any] = {"oldSelf": Optional()}
    try:
        variables["self"] = seen(value, shape)
        if _run(text)(variables) is True:
            return None
        failure = None
        if "hint" in rule:
            return rule["message"], rule["hint"]
    except Failure as error:
        failure = error
    except (UnknownResult, RecursionError):
        return None
    message = _message(rule, variables).rstrip(".") or f"the value violates the rule `{text}`"
    if failure is not None:
        return message, f"the rule cannot be evaluated: {failure}"
    is_short = len(text) <= _LONGEST and "\n" not in text and text not in message
    return (
        message,
        f"change the values so that this rule of the CustomResourceDefinition is true: `{text}`"
        if is_short
        else None,
    )


def _message(rule: dict[str, str], variables: dict[str, Any]) -> str:
    if expression := rule.get("messageExpression"):
        try:
            message = _run(expression)(variables)
        except (Failure, UnknownResult, RecursionError):
            message = None
        if isinstance(message, str) and message.strip() and "\n" not in message:
            return message.strip()
    return rule.get("message", "").strip()


@cache
def _run(text: str) -> Run:
    return made(parse(text))
