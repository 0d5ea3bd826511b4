"""Definitions of custom kinds, and what objects of them can be made of."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import yaml

from gpuspec.manifests import Path
from tests.outside import CRDS

Schema = dict[str, Any]
Object = dict[str, Any]
Kind = tuple[str, str]

DEEPEST = 7
_LITERAL = re.compile(r"'([^'\\\s]{1,40})'|\"([^\"\\\s]{1,40})\"")
WORDS: tuple[str, ...] = (
    "a",
    "b-c",
    "",
    "http",
    "a.example",
    "/a",
    "/a//b",
    "1h",
    "10s",
    "10Gi",
    "1",
    "A_b",
    "a/b",
    "50%",
)
WORDS += ("2020-01-01T00:00:00Z", "#", "10.0.0.1", "kubernetes.io/hostname", "sha256:" + "a" * 64)


class Definition(NamedTuple):
    """A kind that a definition adds, in one version."""

    project: str
    kind: Kind
    schema: Schema
    words: tuple[str, ...]
    """What its rules compare with."""


@cache
def definitions() -> tuple[Definition, ...]:
    """Every kind of every definition, in order."""
    found = []
    for file in sorted(CRDS.glob("*/*.yaml")):
        spec = yaml.load(file.read_bytes(), yaml.CSafeLoader)["spec"]
        for version in spec["versions"]:
            if version["served"]:
                schema = version["schema"]["openAPIV3Schema"]
                kind = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
                words = sorted(set(_words(schema)))
                found.append(Definition(file.parent.name, kind, schema, tuple(words)))
    return tuple(found)


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "x-kubernetes-validations":
                for one in value if isinstance(value, list) else ():
                    for match in _LITERAL.finditer(one["rule"]):
                        yield match[1] or match[2] or ""
            elif name == "enum" and isinstance(value, list):
                yield from (one for one in value if isinstance(one, str))
            else:
                yield from _words(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from _words(one)


class Spot(NamedTuple):
    """A place that an object has, or could have."""

    path: Path
    schema: Schema
    there: bool


def spots(schema: Schema, value: Any, path: Path = ()) -> Iterator[Spot]:
    """Every place in a value and each field that it lacks; an object's metadata has none."""
    if isinstance(value, dict):
        for name, one in schema.get("properties", {}).items():
            if path or name not in ("apiVersion", "kind", "metadata"):
                yield Spot((*path, name), one, name in value)
                yield from spots(one, value.get(name), (*path, name))
        others = schema.get("additionalProperties")
        if not isinstance(others, dict):
            return
        for name in value:
            yield Spot((*path, name), others, there=True)
            yield from spots(others, value[name], (*path, name))
    elif isinstance(value, list) and "items" in schema:
        for index, one in enumerate(value):
            yield Spot((*path, index), schema["items"], there=True)
            yield from spots(schema["items"], one, (*path, index))


def grown(schema: Schema, random: Random, words: tuple[str, ...], depth: int = 0) -> Any:
    """A value that a schema has room for; it may ask for more."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return random.choice([1, 0, "50%", "10Gi", "a"])
    match schema.get("type"):
        case "object":
            return _map(schema, random, words, depth)
        case "array":
            least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)
            count = random.randint(least, max(least, most))
            return [grown(schema["items"], random, words, depth + 1) for _ in range(count)]
        case "boolean":
            return random.random() < 0.5
        case "integer" | "number":
            least = int(schema.get("minimum", 0))
            return random.choice(
                [least, least + 1, least + 2, int(schema.get("maximum", least + 5))]
            )
    return _text(schema, random, words)


def _map(schema: Schema, random: Random, words: tuple[str, ...], depth: int) -> Object:
    needed = set(schema.get("required", ()))
    share = 0.4 if depth < 3 else 0.2 if depth < DEEPEST else 0.0
    made = {
        name: grown(one, random, words, depth + 1)
        for name, one in schema.get("properties", {}).items()
        if name in needed or random.random() < share
    }
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        for _ in range(random.randint(0, 2)):
            made[random.choice([*words, *WORDS])] = grown(others, random, words, depth + 1)
    return made


def _text(schema: Schema, random: Random, words: tuple[str, ...]) -> str:
    pool = [*WORDS, *words, *words]
    if pattern := schema.get("pattern"):
        fits = re.compile(re.sub(r"^\^\(\?i\)", "(?i)^", pattern))
        pool = [word for word in pool if fits.search(word)] or pool
    if schema.get("format") == "date-time":
        return "2020-01-01T00:00:00Z"
    return random.choice(pool)
