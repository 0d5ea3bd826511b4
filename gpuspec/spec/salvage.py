"""The rules for a malformed document, applied to its valid parts.

All problems are reported at once: malformed parts are removed, required fields among them get
substitutes, and the rules are applied to the rest. Violations that depend on a malformed part are
dropped.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.spec.errors import schema
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.types import decode

# One of these has whatever form a text is to have.
_SAMPLES = ("x", "1h", "1Gi", "/x", "1.36", "1.0")


def sound_problems(
    value: object,
    kind: str,
    model: type[Any],
    rules: Callable[[Any], Iterable[SpecViolation]],
    broken: list[SpecViolation],
) -> list[SpecViolation]:
    """Yield the violations that do not depend on malformed parts of a document."""
    # Of what is missing the path is its parent's; `needs` says what it is.
    gone = {
        _droppable(path) for violation in broken for path in violation.needs or (violation.path,)
    }
    root = schema(kind)
    whole = _filled(_without(value, gone, ()), root, root["$defs"])
    try:
        rest = msgspec.convert(whole, model, dec_hook=decode)
    except msgspec.ValidationError:
        return []
    return [
        rule
        for rule in rules(rest)
        if not any(_touch(part, path) for part in gone for path in (rule.path, *rule.needs))
    ]


def _droppable(path: Path) -> Path:
    """Return the innermost part that can be removed without shifting others: up to the first list."""
    for index, step in enumerate(path):
        if isinstance(step, int):
            return path[:index]
    return path


def _touch(path: Path, other_path: Path) -> bool:
    short = min(len(path), len(other_path))
    return path[:short] == other_path[:short]


def _without(value: object, gone: set[Path], path: Path) -> object:
    if not isinstance(value, dict):
        return value
    return {
        key: _without(inner, gone, (*path, key))
        for key, inner in value.items()
        if (*path, key) not in gone
    }


def _filled(value: object, form: dict[str, Any], parts: dict[str, Any]) -> object:
    """Return the value with substitutes for missing required fields."""
    form = _resolved(form, parts)
    if not isinstance(value, dict) or "properties" not in form:
        return value
    out = {
        key: _filled(inner, form["properties"].get(key, {}), parts) for key, inner in value.items()
    }
    for name in form.get("required", ()):
        if name not in out:
            out[name] = _sample(_resolved(form["properties"][name], parts), parts)
    return out


def _resolved(form: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Return the target of a reference; of alternatives, the one with fields."""
    for branch in (form, *form.get("anyOf", ())):
        if "$ref" in branch:
            return dict(parts[branch["$ref"].rpartition("/")[2]])
    return form


def _sample(form: dict[str, Any], parts: dict[str, Any]) -> object:
    if "enum" in form:
        return form["enum"][0]
    if "anyOf" in form:
        return _sample(_resolved(form["anyOf"][0], parts), parts)
    match form.get("type"):
        case "integer" | "number":
            return form.get("minimum", 1)
        case "array":
            return []
        case "object":
            return _filled({}, form, parts)
    pattern = form.get("pattern", "")
    return next((text for text in _SAMPLES if re.search(pattern, text)), "x")
