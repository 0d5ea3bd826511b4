"""Broken manifests: good ones with one to four changes, each told by its number alone."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.lint.pages import HERE

ROOT = HERE.parent.parent
GOOD = (
    *sorted((HERE / "bases").glob("*.yaml")),
    *sorted((ROOT / "examples" / "rendered").glob("*/*.yaml")),
    *sorted((ROOT / "examples").glob("*.yaml")),
    *sorted((ROOT / "examples" / "clusters").glob("*.yaml")),
)
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**70, 1.5, float("1e300"), "", " ", "x", "yes", "null", "0777",
    "${VAR}", "{{ x }}", "<name>", "a" * 300, "é\u2028\x85", "1Gi", "-1Gi", "1e400", "nvidia.com/gpu",
    "../..", "http://x", "@", "*", "&a", "# no comment", "a: b", "a\nb\n", [], {}, [[]], [None], [{}], {"": ""},
    {"name": None}, [{"name": 1}, {"name": 1}], {"a": {"b": {"c": []}}},
)  # fmt: skip
TEXTS = (
    "\t", "\x00", "\x07", "\x85", "\u2028", "\ufeff", "---\n", "...\n", "&a ", "*a", "<<: *a\n", "!!binary ", "!x ",
    "{{ .Values.x }}", "{% if x %}", "%YAML 1.1\n", ": ", "- ", "[", "}", '"', "'", "|", ">", "#", "@", "`", "\r", "\r\n",
    "? ", "\\", "é", "😀", "# gpuspec: ignore[GPU1] x\n", "# gpuspec: ignore\n", "# Source: a/b\n",
)  # fmt: skip


def mutant(number: int) -> bytes:
    """The broken manifest of a number: always the same one."""
    pick = random.Random(number)
    text = _good(pick.randrange(len(GOOD)))
    for _ in range(pick.randint(1, 4)):
        text = pick.choice((_structure, _structure, _letters, _lines))(text, pick)
    data = text.encode(errors="ignore")
    if pick.random() < 0.05:
        at = pick.randrange(len(data) + 1)
        data = data[:at] + pick.randbytes(pick.randint(1, 4)) + data[at:]
    return data


@cache
def _good(index: int) -> str:
    return Path(GOOD[index]).read_text(encoding="utf-8")


def _structure(text: str, pick: random.Random) -> str:
    """A key less, twice, of another name or elsewhere; another value."""
    try:
        documents = list(yaml.load_all(text, yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return text
    there = [place for document in documents for place in places(document)]
    if not there:
        return text
    holder, key = pick.choice(there)
    other, other_key = pick.choice(there)
    match pick.randrange(6):
        case 0:
            del holder[key]
        case 1:
            holder[key] = pick.choice(SCALARS)
        case 2:
            holder[key] = other.get(other_key) if isinstance(other, dict) else other[other_key]
        case 3 if isinstance(holder, dict):
            value = holder.pop(key)
            new = pick.choice((f"{key}x", str(key)[:-1], str(key).lower(), str(other_key), ""))
            holder[new] = value
        case 4:
            holder[key] = [holder[key]] if pick.random() < 0.5 else {"a": holder[key]}
        case _:
            holder[key] = str(holder[key])
    try:
        return yaml.dump_all(documents, Dumper=yaml.CSafeDumper, sort_keys=False)
    except (yaml.YAMLError, RecursionError):
        return text


def places(value: Any) -> list[tuple[Any, Any]]:
    """Each entry and item: its holder and its key. A value may hold itself."""
    found: list[tuple[Any, Any]] = []
    todo, seen = [value], set[int]()
    while todo:
        holder = todo.pop()
        if not isinstance(holder, dict | list) or id(holder) in seen:
            continue
        seen.add(id(holder))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        found += [(holder, key) for key in keys]
        todo += [holder[key] for key in keys]
    return found


def _letters(text: str, pick: random.Random) -> str:
    """Something put in, taken out, or everything behind a place."""
    at = pick.randrange(len(text) + 1)
    match pick.randrange(4):
        case 0:
            return text[:at] + pick.choice(TEXTS) + text[at:]
        case 1:
            return text[:at] + text[at + pick.randint(1, 8) :]
        case 2:
            return text[:at]
        case _:
            return text.replace(pick.choice(" :-{}[]\"'"), pick.choice(TEXTS), pick.randint(1, 3))


def _lines(text: str, pick: random.Random) -> str:
    """A line less, twice, elsewhere, or at another level."""
    lines = text.split("\n")
    at, other = pick.randrange(len(lines)), pick.randrange(len(lines))
    match pick.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at] = " " * pick.randint(1, 4) + lines[at]
        case _:
            lines[at] = lines[at].removeprefix(" " * pick.randint(1, 4))
    return "\n".join(lines)
