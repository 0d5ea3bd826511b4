"""All of JSON Schema, for keywords of a file that the walk does not know."""

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
"""One mistake violates several alternatives, so few messages are shown."""


_LONGEST = 160


class CompiledSchema:
    """One file's schema, compiled."""

    def __init__(self, file: str, source: Schema) -> None:
        """Compile the schema. Raises `InputError` for a value that is not a schema."""
        # Where a file names no draft, it is the fourth, as for kubeconform.
        dialect = str(source.get("$schema", ""))
        draft = next((draft for name, draft in _DRAFTS.items() if name in dialect), None)
        identifiers = {"$schema", "$id", "id"}
        plain = {word: _plain(value) for word, value in source.items() if word not in identifiers}
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
            raise InputError([Problem(f"{file}: not a JSON Schema: {message}")]) from None

    def violations(self, value: Any) -> tuple[SchemaViolation, ...]:
        """Return the violations of the schema."""
        all_violations: list[SchemaViolation] = []
        for error in self._validator.iter_errors(value):
            keyword = str(error.schema_path[-1]) if error.schema_path else ""
            message = f"`{keyword}` of its schema does not allow the value"
            all_violations.append(
                SchemaViolation(tuple(error.instance_path), message, "wrong-value")
            )
            if len(all_violations) == _MOST:
                break
        return tuple(all_violations)


def _plain(source: Any) -> Any:
    """Return a schema without patterns with flags, which JSON Schema does not have."""
    if isinstance(source, list):
        return [_plain(item) for item in source]
    if not isinstance(source, dict):
        return source
    return {
        word: _plain(item)
        for word, item in source.items()
        if not (word == "pattern" and isinstance(item, str) and "(?i)" in item)
    }


def check_references(source: Any, file: str) -> None:
    """Raise `InputError` if a schema refers to another file: references are not followed."""
    if isinstance(source, dict):
        reference = source.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            message = (
                f"{file}: the schema refers to `{reference}`, but references to other files are "
                "not read"
            )
            raise InputError(
                [Problem(message, hint=("use a schema without references to other files"))]
            )
    if isinstance(source, dict | list):
        for item in source.values() if isinstance(source, dict) else source:
            check_references(item, file)
