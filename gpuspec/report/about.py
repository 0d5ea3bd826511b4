"""Decisions about one field, however much of its path was typed, and in which syntax."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gpuspec.plan import Explanation

# `[name=main]` as Kustomize has it, and kubectl's `[?(@.name=="main")]`.
_NAMED = re.compile(r"""\[(?:\?\(\s*@\.)?name\s*==?\s*["']?([^\]"')]+)["']?\s*\)?\]""")
_POSITION = re.compile(r"\[[0-9]*\]|\[\*\]")
_WORD = re.compile(r"""[^\s./\\{}$\[\]"']+""")
_NUMBER = re.compile("[0-9]+")
_ITEM = re.compile(r"(.*\[[0-9]+\])\.name")
_KEY = re.compile(r'\["([^"]*)"\]|([^.\[\]]+)')

Words = tuple[str, ...]
"""A path's words, small: the parts of a key such as `nvidia.com/gpu` are words too."""

Field = tuple[str | int, ...]
"""The whole path of a field of a document."""


def about(explanations: "Iterable[Explanation]", path: str) -> "list[Explanation]":
    """Return those about a path, or about a part of one: `tolerations`,
    `securityContext.runAsUser`.

    The dots of YAML paths, kubectl's JSONPath and JSON pointers are understood; a kind, or a kind and a
    name, may stand before it, and the name of a list's item in the place of its position, which is left
    out. What a value holds inside is asked too. Where no object has such a field, decisions that come of
    such a field of the spec or the profile.
    """
    known, asked = [*explanations], _words(path)
    items = _items(known)
    found = [
        explanation
        for explanation in known
        if any(_holds(words, asked) for words in _paths(explanation, items))
    ]
    return found or [
        explanation for explanation in known if _holds(_words(explanation.origin), asked)
    ]


def fields(value: Any, path: str, at: Field = ()) -> list[Field]:
    """Return where a document has a field, however much of its path was typed; not what lies below."""
    if at and _holds(_words(".".join(map(str, at))), _words(path)):
        return [at]
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [field for key, value in inner for field in fields(value, path, (*at, key))]


class Missing(NamedTuple):
    """What a path has that is not there."""

    before: str
    """The beginning of it that is there; empty for none."""
    word: str
    """The word behind that."""
    below: list[str]
    """What stands there in its place."""
    every: list[str]
    """Every name of a field."""


def missing(explanations: "Iterable[Explanation]", path: str) -> Missing:
    """Return where a path, of which nothing is found, leaves what is there."""
    known, asked = [*explanations], _words(path)
    items = _items(known)
    size = next(
        at
        for at in range(len(asked) - 1, -1, -1)
        if any(
            _holds(words, asked[:at])
            for explanation in known
            for words in _paths(explanation, items)
        )
    )
    written = [word for word in _WORD.findall(_plain(path)) if not _NUMBER.fullmatch(word)]
    every = [keys for explanation in known for keys in _keys(explanation)]
    below = [key for keys in every for key in _below(keys, asked[:size])] if size else []
    return Missing(
        ".".join(written[:size]),
        written[size],
        [*dict.fromkeys(below)],
        [*dict.fromkeys(key for keys in every for key in keys)],
    )


def _plain(path: str) -> str:
    """Return a path without positions, with the names of items as words."""
    return _POSITION.sub("", _NAMED.sub(r".\1.", path)).replace("~1", "/")


def _words(path: str) -> Words:
    found = (word.lower() for word in _WORD.findall(_plain(path)))
    return tuple(word for word in found if not _NUMBER.fullmatch(word))


def _items(explanations: "Iterable[Explanation]") -> dict[tuple[str, str], str]:
    """Return the names of items of lists, by object and path."""
    found: dict[tuple[str, str], str] = {}
    for explanation in explanations:
        item = _ITEM.fullmatch(explanation.path)
        if item is not None:
            found[explanation.object, item[1]] = str(explanation.value)
        elif (
            explanation.path.endswith("]")
            and isinstance(explanation.value, dict)
            and "name" in explanation.value
        ):
            found[explanation.object, explanation.path] = str(explanation.value["name"])
    return found


def _paths(explanation: "Explanation", items: Mapping[tuple[str, str], str]) -> Iterator[Words]:
    """Yield the ways to write what a decision is about: with the object's kind and name before it
    or not, with the names of items or not."""
    named = re.sub(
        r"\[[0-9]+\]",
        lambda match: (
            f"[name={items.get((explanation.object, explanation.path[: match.end()]), '')}]"
        ),
        explanation.path,
    )
    kind, _, name = explanation.object.partition(" ")
    for base in {_words(explanation.path), _words(named.replace("[name=]", ""))}:
        for inner in ((), *_mount_path(explanation.value), *_inside(explanation.value)):
            for before in (kind, f"{kind}/{name}"):
                yield (*_words(before), *base, *inner)


def _mount_path(value: Any) -> Iterator[Words]:
    """Yield the path of a mount, by which `explain` prints it."""
    if isinstance(value, dict) and isinstance(value.get("mountPath"), str):
        yield _words(value["mountPath"])


def _inside(value: Any) -> Iterator[Words]:
    """Yield the paths within a value."""
    if isinstance(value, dict):
        for key, held in value.items():
            words = _words(str(key))
            yield words
            yield from ((*words, *inner) for inner in _inside(held))
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _inside(held)


def _keys(explanation: "Explanation") -> Iterator[list[str]]:
    """Yield the paths of a decision as their keys are written, behind the kind of its object."""
    keys = [quoted or plain for quoted, plain in _KEY.findall(_POSITION.sub("", explanation.path))]
    base = [explanation.object.partition(" ")[0], *keys]
    yield base
    if isinstance(explanation.value, dict):
        yield from ([*base, str(key)] for key in explanation.value)


def _below(keys: list[str], asked: Words) -> Iterator[str]:
    """Yield the key of a path that stands right below some words."""
    for at in range(1, len(keys)):
        words = _words(".".join(keys[:at]))
        if words[len(words) - len(asked) :] == asked:
            yield keys[at]


def _holds(whole: Words, words: Words) -> bool:
    size = len(words)
    return any(whole[at : at + size] == words for at in range(len(whole) - size + 1))
