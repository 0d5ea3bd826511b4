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
from gpuspec.validation.bundle import Bundle, Kind
from gpuspec.validation.messages import violation
from gpuspec.validation.nodes import root
from gpuspec.validation.walk import SchemaFault, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.nodes import SchemaNode
    from gpuspec.validation.violation import SchemaViolation

_ANY = "configurations"


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
    keys: str = ""
    """A pattern of the keys that hold such a file; empty if any key may."""
    open: str = ""
    """The consequence of an unknown word, if there are words that the table does not have."""

    def tells(self, key: str, value: dict[str, Any]) -> bool:
        """Return whether a text under a key is such a file."""
        if self.keys and not re.search(self.keys, key):
            return False
        if self.api and str(value.get("apiVersion")).startswith(self.api):
            return True
        return any(_has(value, mark) for mark in self.marks)


def told_by(key: str, value: dict[str, Any]) -> ProgramConfiguration | None:
    """Return the program of a configuration text, or None."""
    return next((program for program in _known() if program.tells(key, value)), None)


@cache
def words() -> tuple[str, ...]:
    """Return the last keys of all marks, in lower case, and the starts of `apiVersion`: a text
    without any of them is no known configuration.
    """
    marks = {mark[-1] for program in _known() for mark in program.marks}
    return (*marks, *(program.api for program in _known() if program.api))


def violations(configuration: ProgramConfiguration, value: dict[str, Any]) -> list[SchemaViolation]:
    """Find the parts of a configuration that a program rejects or ignores."""
    top = root(_bundle(), configuration.kind)
    described = [
        _placed(top, value, violation(top, fault)) if isinstance(fault, SchemaFault) else fault
        for fault in faults(top, value)
    ]
    return [
        described_violation
        for described_violation in described
        if not _is_fine(configuration, described_violation)
    ]


def _is_fine(configuration: ProgramConfiguration, wrong: SchemaViolation) -> bool:
    """Return whether the program reads it all the same, or may: names of plugins that others
    build are in no table, so of those only slips are faults."""
    if configuration.unknown and _is_read(wrong):
        return True
    return bool(configuration.open) and is_word(wrong) and wrong.hint is None


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
        rest = {name: root_schema.get(name, "") for name in ("unknown", "api", "keys", "open")}
        known_fields.append(
            ProgramConfiguration(kind, root_schema["title"], marks, root_schema["then"], **rest)
        )
    return tuple(known_fields)
