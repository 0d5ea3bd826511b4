"""Write which values charts read, by release, from their own repositories.

    python schemas/make_charts.py CLONES [CHART …]

CLONES has a clone of each repository of `charts.yaml`, as `<owner>/<name>`.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent.parent))
from schemas.chart_reads import Read, Reads
from schemas.chart_releases import releases
from schemas.go_templates import Node, TemplateSyntaxError, parse
from schemas.template_values import Place

HERE = Path(__file__).parent
DATA = HERE.parent / "gpuspec" / "charts" / "values" / "data"
OF_HELM = ("enabled", "global", "tags")
_YEAR = 20


@dataclass
class Spot:
    """What is known of one place of the values."""

    children: dict[str, Spot] = field(default_factory=dict)
    how: set[str] = field(default_factory=set)
    guards: frozenset[Place] | None = None
    default: Any = None
    is_refused: bool = False
    is_open: bool = False

    def child(self, name: str) -> Spot:
        """Return the spot of a key."""
        return self.children.setdefault(name, Spot())


def main() -> None:
    """Write the tables of all charts, or of those that are named."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("clones", type=Path)
    arguments.add_argument("charts", nargs="*")
    options = arguments.parse_args()
    rows = yaml.safe_load((HERE / "charts.yaml").read_text())
    for name in options.charts or rows:
        row = rows[name]
        clone = options.clones / row["repository"]
        tables = []
        for version, files in releases(clone, row):
            try:
                tables.append((version, table(files)))
            except (yaml.YAMLError, TemplateSyntaxError, ValueError) as error:
                print(f"  {name} {version}: {str(error)[:200]}", file=sys.stderr)
        if tables:
            DATA.mkdir(parents=True, exist_ok=True)
            (DATA / f"{name}.yaml").write_text(written(row, tables))
        print(name, len(tables), tables[0][0] if tables else "", tables[-1][0] if tables else "")


# One release.


def table(files: dict[str, bytes]) -> Spot:
    """Return what the files of a chart do with its values."""
    definitions: dict[str, list[Node]] = {}
    bodies: list[list[Node]] = []
    for name, content in sorted(files.items()):
        inner = name.startswith("templates/")
        is_file = not inner and "/" in name and not name.startswith(("charts/", "crds/", "ci/"))
        text = content.decode(errors="replace")
        if inner or (is_file and ".Values" in text):
            try:
                nodes, defined = _parsed(text)
            except TemplateSyntaxError:
                # A file that is no template, such as a program with braces.
                if inner:
                    raise
                continue
            bodies.append(nodes)
            definitions |= defined
    reads = Reads(definitions)
    reads.templates(bodies)
    root = Spot()
    for place, read in reads.places.items():
        _place(root, place, read)
    if reads.aliases.get(()) is not None:
        root.how.add("whole")
    values = yaml.load(files.get("values.yaml", b""), yaml.CSafeLoader) or {}
    _defaults(root, values)
    _merge_each(root)
    chart = _yaml(files, "Chart.yaml")
    requirements = [
        *chart.get("dependencies", ()),
        *_yaml(files, "requirements.yaml").get("dependencies", ()),
    ]
    for name in OF_HELM:
        root.child(name).is_open = True
    for dependency in requirements:
        key = dependency.get("alias") or dependency["name"]
        root.child(key).is_open = True
        for path in str(dependency.get("condition") or "").split(","):
            spot = root
            for step in filter(None, path.strip().split(".")):
                spot = spot.child(step)
    if reads.unknown:
        # A library reads keys of its own.
        root.is_open = True
    schema = _yaml(files, "values.schema.json") or _yaml(files, "values.schema.yaml")
    _schema(root, schema, schema, 0)
    return root


@cache
def _parsed(text: str) -> tuple[list[Node], dict[str, list[Node]]]:
    defined: dict[str, list[Node]] = {}
    return parse(text, defined), defined


def _yaml(files: dict[str, bytes], name: str) -> dict[str, Any]:
    return yaml.load(files.get(name, b""), yaml.CSafeLoader) or {}


def _place(root: Spot, place: Place, read: Read) -> None:
    spot = root
    for step in place:
        spot = spot.child(step)
    spot.how |= read.how
    spot.guards = read.guards


def _defaults(spot: Spot, value: Any, *, in_list: bool = False) -> None:
    """Add the keys of the chart's own values. Another list replaces theirs, so its items have no
    defaults."""
    if not in_list:
        spot.default = value
    if isinstance(value, dict):
        for key, inner in value.items():
            _defaults(spot.child(str(key)), inner, in_list=in_list)
    elif isinstance(value, list) and "*" in spot.children:
        for inner in value:
            _defaults(spot.children["*"], inner, in_list=True)


def _merge_each(spot: Spot) -> None:
    """Add to each key what is read of every key."""
    every = spot.children.get("*")
    for name, child in spot.children.items():
        if every is not None and name != "*":
            _merge(child, every)
        _merge_each(child)


def _merge(spot: Spot, other: Spot) -> None:
    spot.how |= other.how
    for name, child in other.children.items():
        _merge(spot.child(name), child)


def _schema(spot: Spot, schema: Any, whole: Any, depth: int) -> None:
    if not isinstance(schema, dict) or depth > 12:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if not reference.startswith("#/"):
            return
        target = whole
        for step in reference[2:].split("/"):
            target = target.get(step, {}) if isinstance(target, dict) else {}
        _schema(spot, target, whole, depth + 1)
        return
    properties = schema.get("properties") or {}
    for key, inner in properties.items():
        _schema(spot.child(key), inner, whole, depth + 1)
    if isinstance(schema.get("items"), dict) and "*" in spot.children:
        _schema(spot.children["*"], schema["items"], whole, depth + 1)
    if (
        schema.get("additionalProperties") is False
        and properties
        and "patternProperties" not in schema
    ):
        spot.is_refused = True
        spot.children = {key: spot.children[key] for key in properties}


# The table.


@dataclass(frozen=True)
class Mapping:
    """A mapping of which all keys are known in a release."""

    keys: frozenset[str]
    texts: frozenset[str]
    """The keys whose values the templates print as they are."""
    is_refused: bool
    """Whether the schema refuses other keys."""
    is_loose: bool
    """Whether a value of another type may do as well."""


def mappings(root: Spot) -> dict[str, Mapping]:
    """Return the closed mappings of a release by their patterns."""
    closed: dict[str, Mapping] = {}

    def walk(spot: Spot, place: Place, is_free: bool) -> None:
        is_free = is_free or "whole" in spot.how
        is_closed = (
            "key" in spot.how and not is_free and not spot.is_open and "each" not in spot.how
        )
        if spot.is_refused or is_closed:
            closed[".".join(place)] = Mapping(
                frozenset(name for name in spot.children if name != "*"),
                frozenset(name for name, child in spot.children.items() if _is_text(child)),
                spot.is_refused,
                not spot.how <= {"key", "test"},
            )
        for name, child in spot.children.items():
            if "." not in name and not child.is_open:
                walk(child, (*place, name), is_free)

    walk(root, (), False)
    return closed


def _is_text(spot: Spot) -> bool:
    is_plain = not isinstance(spot.default, (dict, list)) and not spot.children
    return is_plain and "text" in spot.how and spot.how <= {"text", "print", "test"}


def needs(root: Spot) -> dict[str, frozenset[str]]:
    """Return the places that a release reads only where another one is set, which is empty by
    default: by its pattern, the others."""
    found: dict[str, frozenset[str]] = {}

    def walk(spot: Spot, place: Place) -> frozenset[Place] | None:
        guards = spot.guards
        for name, child in spot.children.items():
            below = walk(child, (*place, name))
            if below is not None:
                guards = below if guards is None else guards & below
        others = [
            ".".join(guard)
            for guard in guards or ()
            if guard[: len(place)] != place
            and place[: len(guard)] != guard
            and _is_empty(root, guard)
            and "*" not in guard[len(_shared(guard, place)) :]
        ]
        if others and place:
            found[".".join(place)] = frozenset(others)
        return guards

    walk(root, ())
    # What is below a place with the same need adds nothing.
    return {
        place: others
        for place, others in found.items()
        if found.get(place.rpartition(".")[0]) != others
    }


def _shared(one: Place, other: Place) -> Place:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _is_empty(root: Spot, place: Place) -> bool:
    spot: Spot | None = root
    for step in place:
        spot = spot.children.get(step) if spot is not None else None
    return spot is not None and spot.default in (None, False, "", 0, {}, [])


def written(row: dict[str, Any], tables: list[tuple[str, Spot]]) -> str:
    """Return the text of a table."""
    versions = [version for version, _ in tables]
    closed = [mappings(root) for _, root in tables]
    rows: dict[str, list[str]] = {}
    for place in sorted(closed[-1]):
        # The last run of releases in which the mapping is closed.
        first = _begin([place in each for each in closed])
        spans = [each[place] for each in closed[first:]]
        body: dict[str, Any] = {"begun": versions[first]} if first else {}
        if spans[-1].is_refused:
            body["refuses"] = versions[first + _begin([each.is_refused for each in spans])]
        if spans[-1].is_loose:
            body["loose"] = True
        keys = sorted({key for each in spans for key in each.keys})
        body["keys"] = " ".join(
            _span(key, [key in each.keys for each in spans], versions[first:]) for key in keys
        )
        texts = [
            key for key in keys if all(key in each.texts for each in spans if key in each.keys)
        ]
        if texts:
            body["texts"] = " ".join(texts)
        rows.setdefault(json.dumps(body), []).append(place)
    needed = [needs(root) for _, root in tables]
    wants: dict[tuple[str, ...], list[str]] = {}
    for place, others in sorted(needed[-1].items()):
        first = _begin([each.get(place) == others for each in needed])
        wants.setdefault((versions[first], *sorted(others)), []).append(place)
    data = {
        "source": f"{row['repository']} {row['folder']}".strip(),
        "releases": [versions[0], versions[-1]],
        **_gap(versions),
        "mappings": [
            {"at": " ".join(place or "." for place in at), **json.loads(body)}
            for body, at in rows.items()
        ],
        "needs": [
            {"at": " ".join(at), "with": " ".join(others), "begun": begun}
            for (begun, *others), at in wants.items()
        ],
    }
    return yaml.dump(data, sort_keys=False, width=120, default_flow_style=None, allow_unicode=True)


def _begin(holds: list[bool]) -> int:
    """Return where the last run of what holds begins."""
    first = len(holds) - 1
    while first and holds[first - 1]:
        first -= 1
    return first


def _gap(versions: list[str]) -> dict[str, list[str]]:
    """Return two releases without another between, if the first numbers are small and the last ones
    are years: later releases can have either."""
    for before, after in pairwise(versions):
        if int(before.partition(".")[0]) < _YEAR <= int(after.partition(".")[0]):
            return {"gap": [before, after]}
    return {}


def _span(key: str, present: list[bool], versions: list[str]) -> str:
    first = present.index(True)
    last = len(present) - 1 - present[::-1].index(True)
    since = versions[first] if first else ""
    until = versions[last] if last != len(present) - 1 else ""
    return (
        key if not since and not until else f"{key}@{since}-{until}" if until else f"{key}@{since}"
    )


if __name__ == "__main__":
    main()
