"""Fields of the kinds' schemas that look as if they named another object: what the page of references walks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from gpuspec.kinds import Kind, kinds
from gpuspec.kinds.references import CONTAINER, POD

ROOT = Path(__file__).parent.parent
NONE = Path(__file__).parent / "no_references.yaml"
_NAME = re.compile(
    r"(name|Names?|Ref|Refs|Secrets?|ConfigMaps?|Class|Claims?|Account|Queue|Runtime|[cC]lusters?"
    r"|[cC]ohort|[cC]hecks|queue|secret|parent|nodeGroups|pool|service|runtime|storageUri|uri)$"
)
"""How a field is called that may name an object."""
_CONTAINERS = ("containers.*", "initContainers.*", "ephemeralContainers.*")


class Field(NamedTuple):
    """A field of a kind that may name another object, or select some."""

    kind: Kind
    path: str

    def __str__(self) -> str:
        return f"{self.kind.group or 'core'}/{self.kind.name} {self.path}"


class Reason(NamedTuple):
    """Why fields name no object."""

    text: str
    fields: list[str]


def reasons() -> list[Reason]:
    """Why some fields name no object, or none that anybody can look for."""
    rows = yaml.safe_load(NONE.read_text(encoding="utf-8"))
    return [Reason(row["because"], row["fields"]) for row in rows]


def matches(field: Field, pattern: str) -> bool:
    """Whether a pattern of a reason means a field: a `*` is whatever stands there."""
    return fnmatchcase(str(field), pattern if " " in pattern else f"* {pattern}")


def fields() -> Iterator[Field]:
    """The fields of all kinds that have a schema, but for pods in them."""
    schemas = _schemas()
    for kind in kinds():
        found: set[str] = set()
        for schema, definitions in schemas.get((kind.group, kind.name), ()):
            found |= {path for path in _walk(schema, definitions) if not _is_in_pod(path, kind)}
        yield from (Field(kind, path) for path in sorted(found))


def unwalked() -> list[Kind]:
    """The kinds that no schema is at hand of."""
    schemas = _schemas()
    return [kind for kind in kinds() if (kind.group, kind.name) not in schemas]


def known(kind: Kind) -> list[str]:
    """The patterns of the fields that the record of a kind knows."""
    rows = [row.path for row in (*kind.refers, *kind.makes)]
    rows += [f"{row.holder}.{key.partition('=')[0]}" for row in kind.refers for key in row.keys]
    rows += [path for one in kind.selects for path in (one.path, *one.ports)]
    rows += [f"{flat.path}.{row.path}" for flat in kind.flat for row in (*POD, *CONTAINER)]
    if "" in kind.templates and kind.name == "Pod":
        rows += [f"spec.{row.path}" for row in POD]
        rows += [f"spec.{each}.{row.path}" for each in _CONTAINERS for row in CONTAINER]
    return rows


def is_known(field: Field) -> bool:
    """Whether the record of the field's kind knows it."""
    return any(_covers(row, field.path) for row in known(field.kind))


def _covers(row: str, path: str) -> bool:
    return len(row.split(".")) == len(path.split(".")) and fnmatchcase(path, row)


def _is_in_pod(path: str, kind: Kind) -> bool:
    """Whether a field is a pod's, which every kind with pods has, and is looked at in a Pod."""
    if kind.name == "Pod":
        return False
    bases = [*kind.specs, *(f"{each}." if each else "" for each in kind.templates), *kind.objects]
    pods = [*kind.specs, *kind.objects]
    pods += [f"{each}{part}" for each in bases[len(kind.specs) :] for part in ("spec", "metadata")]
    steps = path.split(".")
    return any(fnmatchcase(".".join(steps[: len(pod.split("."))]), pod) for pod in pods)


@cache
def _schemas() -> dict[tuple[str, str], list[tuple[Any, Any]]]:
    # The newest version has the fields of those before it.
    files = [max((ROOT / "schemas/kubernetes").glob("*.json"))]
    files += [
        each for each in sorted((ROOT / "schemas/crds").glob("*.json")) if each.stem != "index"
    ]
    found: dict[tuple[str, str], list[tuple[Any, Any]]] = {}
    for file in files:
        bundle = json.loads(file.read_text(encoding="utf-8"))
        for name, schema in bundle["kinds"].items():
            version, _, kind = name.partition(" ")
            key = version.rpartition("/")[0], kind
            found.setdefault(key, []).append((schema, bundle["$defs"]))
    return found


def _walk(
    schema: Any, definitions: Any, path: tuple[str, ...] = (), within: tuple[str, ...] = ()
) -> Iterator[str]:
    while "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in within:
            return
        within, schema = (*within, name), definitions[name]
    for key, child in schema.get("properties", {}).items():
        if not path and key in ("apiVersion", "kind", "metadata", "status"):
            continue
        here = (*path, key)
        is_selector = key.endswith("elector")
        if is_selector or (_NAME.search(key) and _holds_text(child, definitions)):
            yield ".".join(here)
        if not is_selector:
            yield from _walk(child, definitions, here, within)
    for child in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(child, dict):
            yield from _walk(child, definitions, (*path, "*"), within)


def _holds_text(schema: Any, definitions: Any) -> bool:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    types = schema.get("type")
    if "array" in (types if isinstance(types, list) else [types]):
        return isinstance(schema.get("items"), dict) and _holds_text(schema["items"], definitions)
    return "string" in (types if isinstance(types, list) else [types]) and "enum" not in schema
