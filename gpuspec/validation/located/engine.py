"""All of JSON Schema, for what a file says in keywords that the checker does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from gpuspec.manifests import InputError, Problem
from gpuspec.validation.violation import SchemaViolation

if TYPE_CHECKING:
    from gpuspec.validation.bundle import Schema

_DRAFTS: dict[str, type[Any]] = {
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
}
_MOST = 5
"""Of alternatives one mistake breaks several, and nobody reads more."""


_LONGEST = 160


class CompiledSchema:
    """One file's schema, compiled."""

    def __init__(self, file: str, source: Schema) -> None:
        """Compile the schema. Raises `InputError` for a value that is not a schema."""
        # Where a file names no draft, it is the fourth, as for kubeconform.
        dialect = str(source.get("$schema", ""))
        draft = next((one for name, one in _DRAFTS.items() if name in dialect), None)
        named = {"$schema", "$id", "id"}
        plain = {word: _plain(value) for word, value in source.items() if word not in named}
        try:
            self._validator = (draft or jsonschema_rs.Draft4Validator)(
                plain,
                validate_formats=True,
                offline=True,
                # The engine without look-around: Go has none either.
                pattern_options=jsonschema_rs.RegexOptions(),
            )
        except (ValueError, RecursionError) as error:
            message = str(error).splitlines()[0][:_LONGEST]
            raise InputError([Problem(f"{file}: no JSON Schema: {message}")]) from None

    def violations(self, value: Any) -> tuple[SchemaViolation, ...]:
        """Return what the schema does not allow."""
        found: list[SchemaViolation] = []
        for error in self._validator.iter_errors(value):
            keyword = str(error.schema_path[-1]) if error.schema_path else ""
            message = f"`{keyword}` of its schema does not allow it"
            found.append(SchemaViolation(tuple(error.instance_path), message, "wrong-value"))
            if len(found) == _MOST:
                break
        return tuple(found)


def _plain(source: Any) -> Any:
    """Return a schema without patterns that have flags, which are no patterns of JSON Schema."""
    if isinstance(source, list):
        return [_plain(one) for one in source]
    if not isinstance(source, dict):
        return source
    return {
        word: _plain(one)
        for word, one in source.items()
        if not (word == "pattern" and isinstance(one, str) and "(?i)" in one)
    }


def check_references(source: Any, file: str) -> None:
    """Raise `InputError` where a schema refers to another file: only what it holds is read."""
    if isinstance(source, dict):
        reference = source.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            message = (
                f"{file}: the schema refers to `{reference}`, and only what it holds itself is read"
            )
            raise InputError([Problem(message, hint="use a schema that stands alone")])
    if isinstance(source, dict | list):
        for one in source.values() if isinstance(source, dict) else source:
            check_references(one, file)
