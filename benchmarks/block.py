"""Plain data as people write YAML: in block style, with comments, quotes and blocks of text."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

COMMENTED, REMARKED, QUOTED, APOSTROPHES, ON_ONE_LINE, FLUSH = 0.06, 0.004, 0.03, 0.005, 0.4, 0.4
"""How often: a comment above a line, or behind it; needless quotes, double and single; a short list
of words on one line; and, by document, lists that are not indented. As in public manifests."""
_COMMENTS = (
    "Adjust to the size of the model",
    "one GPU for each replica",
    "see the README for the values that other clusters need",
    "resources:",
    "  nvidia.com/gpu: 2",
    "TODO: pin this once the next release is out",
)
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./@-]*(:[A-Za-z0-9_./@-]+)*")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def written(value: dict[str, Any], random: Random) -> str:
    """A document's text."""
    return "\n".join(_mapping(value, "", random, random.random() < FLUSH)) + "\n"


def indented(text: str) -> str:
    """A document's text as an item of a list of documents."""
    lines = (f"  {line}" if line else line for line in text.splitlines())
    return "- " + "\n".join(lines)[2:] + "\n"


def _mapping(value: dict[str, Any], indent: str, random: Random, flush: bool) -> Iterator[str]:
    for key, inner in value.items():
        if random.random() < COMMENTED:
            yield f"{indent}# {random.choice(_COMMENTS)}"
        behind = "  # default" if random.random() < REMARKED else ""
        match inner:
            case dict() if inner:
                yield f"{indent}{key}:{behind}"
                yield from _mapping(inner, f"{indent}  ", random, flush)
            case list() if _is_short(inner) and random.random() < ON_ONE_LINE:
                yield f"{indent}{key}: [{', '.join(json.dumps(one) for one in inner)}]{behind}"
            case list() if inner:
                yield f"{indent}{key}:{behind}"
                yield from _items(inner, indent if flush else f"{indent}  ", random, flush)
            case str() if "\n" in inner:
                yield f"{indent}{key}: |"
                yield from _block(inner, f"{indent}  ")
            case _:
                yield f"{indent}{key}: {_scalar(inner, random)}{behind}"


def _items(value: list[Any], indent: str, random: Random, flush: bool) -> Iterator[str]:
    for item in value:
        if isinstance(item, dict):
            first, *rest = _mapping(item, f"{indent}  ", random, flush)
            while first.lstrip().startswith("#"):
                yield first
                first, *rest = rest
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        elif isinstance(item, str) and "\n" in item:
            yield f"{indent}- |"
            yield from _block(item, f"{indent}  ")
        else:
            yield f"{indent}- {_scalar(item, random)}"


def _is_short(value: list[Any]) -> bool:
    return 0 < len(value) <= 6 and all(isinstance(one, str) and len(one) < 30 for one in value)


def _block(text: str, indent: str) -> Iterator[str]:
    return (f"{indent}{line}" if line else "" for line in text.rstrip("\n").split("\n"))


def _scalar(value: object, random: Random) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    drawn = random.random()
    if drawn < APOSTROPHES and "'" not in value:
        return f"'{value}'"
    if drawn < QUOTED or not _PLAIN.fullmatch(value) or value.lower() in _WORDS:
        return json.dumps(value)
    return value
