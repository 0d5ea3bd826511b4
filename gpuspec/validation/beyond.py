"""The API server's checks of a map beyond its schema: fields that are required, that exclude each
other, or that depend on a value; and relations between fields, which functions check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Relation
    from gpuspec.validation.bundle import Bundle, Schema
    from gpuspec.validation.violation import SchemaViolation

    Lack = tuple[Path, str, dict[str, Any]]
    """The path in the map, the keyword, and the row of the table."""

_RULES = ("needs", "choices", "when")


class Beyond:
    """The checks of one map."""

    __slots__ = ("_version", "choices", "needs", "relations", "when")

    def __init__(self, version: str, more: Schema, relations: tuple[Relation, ...]) -> None:
        self._version = version
        self.needs: list[str] = more.get("needs", [])
        self.choices: list[dict[str, Any]] = more.get("choices", [])
        self.when: list[dict[str, Any]] = more.get("when", [])
        self.relations = relations

    def lacks(self, value: dict[str, Any]) -> Iterator[Lack]:
        """Yield the fields that the map lacks, and those that it cannot have."""
        for name in self.needs:
            if not value.get(name) and not there(value, name):
                yield (name,), "needs", {}
        for choice in self.choices:
            present = [name for name in choice["of"] if there(value, name)]
            if len(present) < choice.get("least", 0):
                yield (), "few", choice
            elif len(present) > choice.get("most", len(present)):
                yield (present[-1],), "many", choice
        for row in self.when:
            if (value.get(row["field"]) or row.get("default")) in row["is"]:
                for name in row.get("needs", ()):
                    if not there(value, name):
                        yield (name,), "then needs", row
                for name in row.get("bars", ()):
                    if there(value, name):
                        yield (name,), "then bars", row

    def broken(self, value: dict[str, Any]) -> list[SchemaViolation]:
        """Return the violated relations between its fields; paths are from the map."""
        return [
            violation for relation in self.relations for violation in relation(value, self._version)
        ]


def there(value: dict[str, Any], name: str) -> bool:
    """Return whether a map has a field: null, an empty text and an empty list count as absent."""
    field_value = value.get(name)
    return field_value is not None and field_value not in ("", [])


def beyond(bundle: Bundle, name: str, more: Schema) -> Beyond | None:
    """Return the checks of a definition's maps; None if there are none."""
    relations = bundle.relations_of(name)
    if not relations and not any(rule in more for rule in _RULES):
        return None
    return Beyond(bundle.name, more, relations)
