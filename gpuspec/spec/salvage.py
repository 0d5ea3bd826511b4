"""The rules over a malformed document: what can be said although some of it cannot be read.

All problems are to come at once. So the malformed parts are left out, something stands in for
those that must be there, and the rules are asked about the rest; what rests on a malformed part
is not believed.
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
    """Yield what breaks the rules of the parts of a document that none of the malformed ones
    touch."""
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
    """Return the innermost part that can be left out without moving others: up to the first
    list."""
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
    """Return the value with something for every field that must be there and is not."""
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
    """Return the part that a reference means; of alternatives, the one that has fields."""
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
