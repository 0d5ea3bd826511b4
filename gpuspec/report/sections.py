"""Arrange decisions for reading: by object, then by its pod and each of its containers."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

from gpuspec.plan import Explanation
from gpuspec.report.short import short

Key = tuple[str, str, str]

_POD = re.compile(r"(?P<pod>(?:.*\.)?template\.spec)\.(?P<rest>.*)")
_CONTAINER = re.compile(r"(?P<list>containers|initContainers)\[(?P<index>[0-9]+)\]\.(?P<rest>.*)")
_ITEM = re.compile(r"(?P<group>.*\b(?:env|ports|volumes|volumeMounts))\[[0-9]+\]")
_KEY = re.compile(r'(?P<group>.*\.(?:labels|annotations|matchLabels|selector))\["?(?P<key>.*?)"?\]')
_RESOURCE = re.compile(r"(?P<group>resources)\.(?P<key>.*)")


class ValueRow(msgspec.Struct):
    """One value with the labels of its fields, and its reason."""

    labels: list[str]
    value: Any
    explanation: Explanation
    group: str = ""
    """The list that contains the field: `env`, `volumes` …"""


class Section(msgspec.Struct):
    """A part of an object: the object, its pod, one of its containers."""

    title: str
    """Empty for the object itself."""
    path: str
    """The path that the labels' paths continue."""
    rows: list[ValueRow] = msgspec.field(default_factory=list)


class ObjectSection(msgspec.Struct):
    """One object."""

    title: str
    sections: list[Section]
    again: int
    """Number of values that an earlier object or section has for the same reason."""


class DecisionSections(msgspec.Struct, frozen=True):
    """All decisions about one workload's objects."""

    shared: list[ValueRow]
    """Values that every object has."""
    parts: list[ObjectSection]
    provenance: list[ValueRow]
    """Values with the object's origin, in every section."""


def arrange(explanations: Iterable[Explanation]) -> DecisionSections:
    """Return decisions by object in apply order, without the common ones."""
    objects = [list(group) for _, group in groupby(explanations, key=lambda d: d.object)]
    common = _common(objects)
    everywhere = {(d.path, _same(d)): d for obj in objects for d in obj}
    common_decisions = [explanation for key, explanation in everywhere.items() if key in common]
    shared = [_row(d, d.path) for d in common_decisions if not d.is_provenance]
    # Provenance stands last, and without reasons: what it repeats is shown in its own place.
    keys = {_same(d) for d in common_decisions if not d.is_provenance}
    provenance = [_row(d, d.path) for d in common_decisions if d.is_provenance]
    return DecisionSections(shared, [_part(obj, common, keys) for obj in objects], provenance)


def _common(objects: Sequence[list[Explanation]]) -> set[tuple[str, Key]]:
    """Return provenance, and paths that have one value for one reason in every one of several
    objects."""
    sets = [{(d.path, _same(d)) for d in obj} for obj in objects]
    provenance = {(d.path, _same(d)) for obj in objects for d in obj if d.is_provenance}
    return provenance | set.intersection(*sets) if len(sets) > 1 else provenance


def _part(
    explanations: list[Explanation], common: set[tuple[str, Key]], known_keys: set[Key]
) -> ObjectSection:
    sections: dict[str, Section] = {}
    again = 0
    names = {d.path: d.value for d in explanations if d.path.endswith("].name")}
    placed: dict[Key, tuple[Section, ValueRow]] = {}
    for explanation in explanations:
        key = _same(explanation)
        if (explanation.path, key) in common:
            continue
        title, path, rest = _split(explanation.path, names)
        section = sections.setdefault(path, Section(title, path))
        if key in placed and placed[key][0] is section:
            row = placed[key][1]
            # What is in another object has some of its labels for the same reason.
            row.labels = [*dict.fromkeys((*row.labels, *_row(explanation, rest).labels))]
        elif key in known_keys or key in placed:
            again += 1
        else:
            row = _row(explanation, rest)
            placed[key] = (section, row)
            section.rows.append(row)
    known_keys |= set(placed)
    return ObjectSection(explanations[0].object, [s for s in sections.values() if s.rows], again)


def _split(path: str, names: dict[str, Any]) -> tuple[str, str, str]:
    """Return the section's title, its path, and the path within the section."""
    match = _POD.fullmatch(path)
    if match is None:
        return "", "", path
    pod, rest = match["pod"], match["rest"]
    container = _CONTAINER.fullmatch(rest)
    if container is None:
        # That of a JobSet, or of one of its Jobs, has the pod's in it.
        inner = any(
            name.startswith(f"{pod}.") and ".template.spec." in name.removeprefix(pod)
            for name in names
        )
        return "Template" if inner else "Pod", pod, rest
    where = f"{pod}.{container['list']}[{container['index']}]"
    word = "Container" if container["list"] == "containers" else "Init container"
    return f"{word} {names.get(where + '.name', '')}".rstrip(), where, container["rest"]


def _row(explanation: Explanation, path: str) -> ValueRow:
    """Return a row; fields of one mapping, and items of a list with names, form a group."""
    item, value = _ITEM.fullmatch(path), explanation.value
    if item is not None and isinstance(value, dict):
        key = "mountPath" if "mountPath" in value else "name"
        rest: Any = {name: inner for name, inner in value.items() if name != key}
        if len(rest) == 1 and not rest.keys().isdisjoint(("name", "value")):
            (rest,) = rest.values()
        return ValueRow([str(value.get(key, path))], rest, explanation, item["group"])
    part = _KEY.fullmatch(path) or _RESOURCE.fullmatch(path)
    if part is not None:
        return ValueRow([part["key"]], value, explanation, part["group"])
    return ValueRow([path], value, explanation)


def _same(explanation: Explanation) -> Key:
    return short(explanation.value), explanation.reason, explanation.origin
