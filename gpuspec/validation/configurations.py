"""Configuration files of programs, in ConfigMaps and charts' values: the program of each, and its
faults."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from gpuspec.locate import shipped
from gpuspec.manifests import format_path
from gpuspec.validation.bundle import Bundle, Kind, Schema
from gpuspec.validation.messages import violation
from gpuspec.validation.nodes import node_of
from gpuspec.validation.violation import placed
from gpuspec.validation.walk import SchemaFault, faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.nodes import SchemaNode
    from gpuspec.validation.violation import SchemaViolation

_ANY = "configurations"
_OWN = frozenset(
    (
        *("title", "then", "unknown", "api", "document", "keys", "open", "grows", "variants"),
        *("values", "ruled"),
    )
)


class Variants(msgspec.Struct, frozen=True):
    """Items whose own name decides what one of their fields holds, such as the arguments of plugins."""

    at: str
    """The pattern of the items."""
    told_by: str
    """The field of an item with its name."""
    field: str
    of: dict[str, str]
    """The definition of the field, by name; of others nothing is known."""


class ProgramConfiguration(msgspec.Struct, frozen=True):
    """The file of one program."""

    kind: Kind
    title: str
    """The program that reads it."""
    marks: tuple[tuple[str, ...], ...]
    """Paths of keys, in lower case, any of which identifies such a file."""
    then: str
    """The consequence of a file that the program cannot read."""
    unknown: str = ""
    """The consequence of an unknown key; empty if the program then cannot read the file."""
    api: str = ""
    """The start of an `apiVersion` that identifies such a file."""
    document: str = ""
    """The kind of such a file, if it has an `apiVersion`."""
    keys: str = ""
    """A pattern of the keys that hold such a file; empty if any key may."""
    open: str = ""
    """The consequence of an unknown word, if there are words that the table does not have."""
    grows: tuple[str, ...] = ()
    """Maps to which releases add keys, the file itself as an empty text: only slips are faults there."""
    variants: tuple[Variants, ...] = ()
    values: dict[str, str] = {}
    """The value of a chart that holds such a file as a map, by chart."""
    ruled: bool = False
    """Whether the schema has rules in CEL."""

    def tells(self, key: str, value: dict[str, Any]) -> bool:
        """Return whether a text under a key is such a file."""
        if self.keys and not re.search(self.keys, key):
            return False
        if self.api and str(value.get("apiVersion")).startswith(self.api):
            # Other programs have a kind of their own in the same API.
            return not self.document or value.get("kind", self.document) == self.document
        return any(_has(value, mark) for mark in self.marks)


def told_by(key: str, value: dict[str, Any]) -> ProgramConfiguration | None:
    """Return the program of a configuration text, or None."""
    return next((program for program in _known() if program.tells(key, value)), None)


def of_document(api_version: str, kind: str) -> ProgramConfiguration | None:
    """Return the program that reads a document of this kind as its file, or None."""
    return next(
        (
            program
            for program in _known()
            if program.api and api_version.startswith(program.api) and kind == program.document
        ),
        None,
    )


@cache
def of_values(chart: str) -> tuple[tuple[str, ProgramConfiguration], ...]:
    """Return the values of a chart that hold the file of a program as a map."""
    return tuple(
        (program.values[chart], program) for program in _known() if chart in program.values
    )


@cache
def words() -> tuple[str, ...]:
    """Return the last keys of all marks, in lower case, and the starts of `apiVersion`: a text
    without any of them is no known configuration.
    """
    marks = {mark[-1] for program in _known() for mark in program.marks}
    return (*marks, *(program.api for program in _known() if program.api))


def violations(configuration: ProgramConfiguration, value: dict[str, Any]) -> list[SchemaViolation]:
    """Find the parts of a configuration that a program rejects or ignores."""
    schema = _bundle().root(configuration.kind)
    wrong_parts = _violations(configuration, schema, value)
    for variants in configuration.variants:
        for path, item in _items(value, tuple(variants.at.split("."))):
            definition = variants.of.get(str(item.get(variants.told_by)))
            inner = item.get(variants.field)
            if definition is not None and isinstance(inner, dict):
                reference = {"$ref": f"#/$defs/{configuration.kind[1]}.{definition}"}
                wrong_parts += (
                    placed((*path, variants.field), wrong)
                    for wrong in _violations(configuration, reference, inner)
                )
    return wrong_parts


def _violations(
    configuration: ProgramConfiguration, schema: Schema, value: dict[str, Any]
) -> list[SchemaViolation]:
    top = node_of(_bundle(), schema)
    described = [
        _placed(top, value, violation(top, fault)) if isinstance(fault, SchemaFault) else fault
        for fault in faults(top, value)
    ]
    wrong_parts = [wrong for wrong in described if not _is_fine(configuration, wrong)]
    if not configuration.ruled or any(wrong.reason == "wrong-type" for wrong in described):
        return wrong_parts
    from gpuspec.validation.cel import rules

    return [*wrong_parts, *rules.broken_by(_bundle(), schema, value)]


def _is_fine(configuration: ProgramConfiguration, wrong: SchemaViolation) -> bool:
    """Return whether the program reads it all the same, or may: names of plugins that others
    build are in no table, so of those only slips are faults."""
    if configuration.unknown and _is_read(wrong):
        return True
    if wrong.reason == "unknown-field" and {*wrong.path[-2:-1]} & {*configuration.grows}:
        return wrong.hint is None
    if wrong.reason == "unknown-field" and len(wrong.path) == 1 and "" in configuration.grows:
        return wrong.hint is None
    return bool(configuration.open) and is_word(wrong) and wrong.hint is None


def _items(value: object, steps: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the maps at a pattern, in which `*` is every item of a list."""
    if not steps:
        if isinstance(value, dict):
            yield (), value
        return
    inner: Iterable[tuple[int | str, Any]] = ()
    if steps[0] == "*":
        inner = enumerate(value) if isinstance(value, list) else ()
    elif isinstance(value, dict) and steps[0] in value:
        inner = ((str(steps[0]), value[steps[0]]),)
    for step, item in inner:
        for path, holder in _items(item, steps[1:]):
            yield (step, *path), holder


def is_word(wrong: SchemaViolation) -> bool:
    """Return whether a violation is about an unknown word."""
    return wrong.reason == "wrong-value" and (wrong.expected or "").startswith("`")


def _placed(top: SchemaNode, value: dict[str, Any], wrong: SchemaViolation) -> SchemaViolation:
    """Add the map in which an unknown key would be valid, if exactly one of the existing maps
    accepts it."""
    if wrong.reason != "unknown-field" or wrong.hint is not None:
        return wrong
    name = str(wrong.path[-1])
    homes = list(_homes(top, value, (), name))
    if len(homes) != 1:
        return wrong
    hint = f"move `{name}` to `{format_path(homes[0])}`"
    return replace(wrong, hint=hint, meant=(*homes[0], name))


def _homes(node: SchemaNode, value: dict[str, Any], path: Path, name: str) -> Iterator[Path]:
    """Yield the maps below that have a key of this name in their schema."""
    for key, inner in value.items():
        field = node.field(key)
        if field is not None and isinstance(inner, dict):
            if name in field.schemas:
                yield (*path, key)
            yield from _homes(field, inner, (*path, key), name)


def _is_read(wrong: SchemaViolation) -> bool:
    """Return whether Go's decoder accepts a key all the same, because only its case differs."""
    if wrong.reason != "unknown-field" or wrong.meant is None:
        return False
    return (
        str(wrong.meant[-1]).lower() == str(wrong.path[-1]).lower()
        and wrong.meant[:-1] == wrong.path[:-1]
    )


def _has(value: object, mark: tuple[str, ...]) -> bool:
    if not mark:
        return True
    if isinstance(value, list):
        return any(_has(item, mark) for item in value)
    if not isinstance(value, dict):
        return False
    return any(key.lower() == mark[0] and _has(inner, mark[1:]) for key, inner in value.items())


@cache
def _bundle() -> Bundle:
    file = shipped("schemas") / "configurations" / "configurations.json"
    return Bundle(_ANY, file.read_text(encoding="utf-8"))


@cache
def _known() -> tuple[ProgramConfiguration, ...]:
    known_fields = []
    for kind in _bundle().kinds():
        root_schema = _bundle().root(kind)
        marks = tuple(tuple(mark.lower().split(".")) for mark in root_schema.get("marks", ()))
        rest = {name: root_schema[name] for name in _OWN if name in root_schema}
        known_fields.append(
            msgspec.convert({"kind": kind, "marks": marks, **rest}, ProgramConfiguration)
        )
    return tuple(known_fields)
