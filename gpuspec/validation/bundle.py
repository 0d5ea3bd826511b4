"""The bundled schemas: one file for each Kubernetes version, made by `schemas/make_kubernetes.py`.

A file holds about 200 kinds and 700 definitions, of which a run needs a few dozen. It has one entry
on a line, so the lines are split first, and each is parsed on first use. That takes less than half
of the time of parsing the whole file.
"""

import json
import re
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.kubernetes import VERSIONS
from gpuspec.locate import shipped_folder

if TYPE_CHECKING:
    from gpuspec.validation.apiserver.reading import Relation

Schema = dict[str, Any]
"""A JSON Schema (2020-12) with the few keywords of the bundles."""

Kind = tuple[str, str]
"""An apiVersion and a kind: ``("apps/v1", "Deployment")``."""

_NOTHING: Schema = {}
_first_value = json.JSONDecoder().raw_decode


class UnsupportedVersionError(ValueError):
    """No bundle exists for this Kubernetes version."""


class Bundle:
    """The schemas of one Kubernetes version, or of one project's custom kinds, parsed on demand."""

    __slots__ = ("_definitions", "_kinds", "_parsed", "beyond", "is_part", "name")

    drops_nulls = False
    """Whether a field that must not be null may be null all the same, and then counts as absent."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        """The Kubernetes version, ``1.34``, or the project."""
        _, _, rest = text.partition('\n"kinds":{\n')
        kinds, _, definitions = rest.partition('\n},\n"$defs":{\n')
        self._kinds = _entries(kinds)
        self._definitions = _entries(definitions.removesuffix("\n}}\n"))
        self._parsed: dict[str, Schema] = {}
        self.is_part = False
        """Whether it has only some of its definitions."""
        self.beyond: Bundle | None = None
        """The server's checks of Kubernetes' own kinds beyond their schemas."""

    def kinds(self) -> list[Kind]:
        """Return every kind that has a schema, sorted by apiVersion."""
        return [_kind(entry) for entry in self._kinds]

    def __contains__(self, kind: Kind) -> bool:
        return _entry(kind) in self._kinds

    def root(self, kind: Kind) -> Schema:
        """Return the schema of a kind's objects. Raises KeyError for an unknown kind."""
        return self._read(self._kinds, _entry(kind))

    def definition(self, reference: str) -> Schema:
        """Return the schema that a ``$ref`` of this bundle means."""
        return self._read(self._definitions, reference.removeprefix("#/$defs/"))

    def more(self, name: str, also: Schema | None = None) -> Schema:
        """Return the server's checks of a definition beyond its schema; empty if there are none.

        `also` are its checks of one field of the definition, or of one kind of its objects.
        """
        beyond = self.beyond
        if beyond is None:
            return _NOTHING
        schema = beyond.definition(name) if name in beyond._definitions else _NOTHING
        return joined(schema, beyond._liked(also)) if also else schema

    def _liked(self, row: Schema) -> Schema:
        """Return a row, merged with the rows that it refers to."""
        like = row.get("like")
        return joined(self._liked(self.definition(like)), row) if like else row

    def more_of(self, kind: Kind) -> Schema | None:
        """Return the server's checks of a kind's objects in addition to those of their definition."""
        return self.beyond.root(kind) if self.beyond is not None and kind in self.beyond else None

    def relations_of(self, name: str) -> "tuple[Relation, ...]":
        """Return the functions that check maps of a definition."""
        from gpuspec.validation.apiserver import relations_of

        return relations_of(name)

    def only(self, names: frozenset[str]) -> "Bundle":
        """Return the same bundle, reduced to some definitions."""
        bundle = copy(self)
        bundle.is_part = True
        bundle._definitions = {
            name: self._definitions[name] for name in names & set(self._definitions)
        }
        return bundle

    def closed(self, kind: Kind) -> Schema:
        """Return the schema of a kind's objects, with only the definitions that it needs."""
        used: dict[str, Schema] = {}
        references = re.compile(r'"#/\$defs/([^"]+)"')
        todo = references.findall(self._kinds[_entry(kind)])
        while todo:
            name = todo.pop()
            if name not in used:
                used[name] = self.definition(name)
                todo += references.findall(self._definitions[name])
        return {**self.root(kind), "$defs": used}

    def _read(self, lines: dict[str, str], name: str) -> Schema:
        schema = self._parsed.get(name)
        if schema is None:
            # The comma behind the value is left unread.
            schema = self._parsed[name] = _first_value(lines[name])[0]
        return schema


def joined(schema: Schema, other_schema: Schema) -> Schema:
    """Return two rows of the server's tables merged; the second takes precedence."""
    if not schema or not other_schema:
        return schema or other_schema
    joined_schema = {**schema, **other_schema}
    for part in ("needs", "choices", "when"):
        if part in schema and part in other_schema:
            joined_schema[part] = [*schema[part], *other_schema[part]]
    for part in ("items", "keys", "values"):
        if part in schema and part in other_schema:
            joined_schema[part] = joined(schema[part], other_schema[part])
    if "properties" in schema and "properties" in other_schema:
        fields, others = schema["properties"], other_schema["properties"]
        joined_schema["properties"] = {
            name: joined(fields.get(name, _NOTHING), others.get(name, _NOTHING))
            for name in {**fields, **others}
        }
    return joined_schema


def supported_versions() -> tuple[str, ...]:
    """Return the Kubernetes versions that there are schemas for, oldest first: ``("1.33", …)``."""
    return VERSIONS


def newest() -> str:
    """Return the newest Kubernetes version that there are schemas for."""
    return VERSIONS[-1]


@cache
def load(kubernetes: str) -> Bundle:
    """Return the bundle for a Kubernetes version: ``1.34``, or in the form of clusters,
    ``v1.34.2-gke.100``.

    Raises: UnsupportedVersionError: no schemas exist for it.
    """
    version = ".".join(kubernetes.removeprefix("v").split(".")[:2])
    if version not in VERSIONS:
        known_versions = ", ".join(VERSIONS)
        raise UnsupportedVersionError(
            f"no schemas for Kubernetes {kubernetes}; there are {known_versions}"
        )
    return _bundle(version)


@cache
def _bundle(version: str) -> Bundle:
    bundle = Bundle(version, _text("kubernetes", version))
    bundle.beyond = Bundle(version, _text("apiserver", version))
    return bundle


def _text(folder: str, version: str) -> str:
    with open(f"{shipped_folder('schemas')}/{folder}/{version}.json", encoding="utf-8") as file:
        return file.read()


def _entries(text: str) -> dict[str, str]:
    """Return the name and the value's text of each line, for lines like ``"name":{…},``."""
    return dict(line[1:].split('":', 1) for line in text.split("\n") if line)


def _entry(kind: Kind) -> str:
    return " ".join(kind)


def _kind(entry: str) -> Kind:
    api_version, _, kind = entry.partition(" ")
    return api_version, kind
