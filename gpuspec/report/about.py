"""Find the decisions about a field, by its path or a part of it, in any common syntax."""

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
"""The words of a path, in lower case; the parts of a key such as `nvidia.com/gpu` are words too."""

Field = tuple[str | int, ...]
"""The whole path of a field of a document."""


def about(explanations: "Iterable[Explanation]", path: str) -> "list[Explanation]":
    """Return the decisions about a path, or about a part of one: `tolerations`,
    `securityContext.runAsUser`.

    Accepted are the dots of YAML paths, kubectl's JSONPath and JSON pointers. A kind, or a kind and
    a name, may stand before the path, and the name of a list's item may replace its index, which is
    optional. Paths inside a value are found too. If no object has such a field: the decisions that
    come from such a field of the spec or the profile.
    """
    every_decision, words_asked = [*explanations], _words(path)
    items = _items(every_decision)
    matching = [
        explanation
        for explanation in every_decision
        if any(_holds(words, words_asked) for words in _paths(explanation, items))
    ]
    return matching or [
        explanation
        for explanation in every_decision
        if _holds(_words(explanation.origin), words_asked)
    ]


def fields(value: Any, path: str, at: Field = ()) -> list[Field]:
    """Return the paths at which a document has a field with this path or part of a path, without
    the paths below it."""
    if at and _holds(_words(".".join(map(str, at))), _words(path)):
        return [at]
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [field for key, value in inner for field in fields(value, path, (*at, key))]


class Missing(NamedTuple):
    """The first part of a path that does not exist."""

    before: str
    """The existing beginning of the path; empty if there is none."""
    word: str
    """The word after it."""
    below: list[str]
    """Existing words at its place."""
    every: list[str]
    """Every name of a field."""


def missing(explanations: "Iterable[Explanation]", path: str) -> Missing:
    """Return the first part of an unknown path that does not exist."""
    every_decision, words_asked = [*explanations], _words(path)
    items = _items(every_decision)
    size = next(
        at
        for at in range(len(words_asked) - 1, -1, -1)
        if any(
            _holds(words, words_asked[:at])
            for explanation in every_decision
            for words in _paths(explanation, items)
        )
    )
    path_words = [word for word in _WORD.findall(_plain(path)) if not _NUMBER.fullmatch(word)]
    every = [keys for explanation in every_decision for keys in _keys(explanation)]
    below = [key for keys in every for key in _below(keys, words_asked[:size])] if size else []
    return Missing(
        ".".join(path_words[:size]),
        path_words[size],
        [*dict.fromkeys(below)],
        [*dict.fromkeys(key for keys in every for key in keys)],
    )


def _plain(path: str) -> str:
    """Return a path without indexes, with the names of items as words."""
    return _POSITION.sub("", _NAMED.sub(r".\1.", path)).replace("~1", "/")


def _words(path: str) -> Words:
    lower_words = (word.lower() for word in _WORD.findall(_plain(path)))
    return tuple(word for word in lower_words if not _NUMBER.fullmatch(word))


def _items(explanations: "Iterable[Explanation]") -> dict[tuple[str, str], str]:
    """Return the names of items of lists, by object and path."""
    names: dict[tuple[str, str], str] = {}
    for explanation in explanations:
        item = _ITEM.fullmatch(explanation.path)
        if item is not None:
            names[explanation.object, item[1]] = str(explanation.value)
        elif (
            explanation.path.endswith("]")
            and isinstance(explanation.value, dict)
            and "name" in explanation.value
        ):
            names[explanation.object, explanation.path] = str(explanation.value["name"])
    return names


def _paths(explanation: "Explanation", items: Mapping[tuple[str, str], str]) -> Iterator[Words]:
    """Yield the ways to write the path of a decision: with or without the object's kind and name,
    with or without the names of items."""
    with_names = re.sub(
        r"\[[0-9]+\]",
        lambda match: (
            f"[name={items.get((explanation.object, explanation.path[: match.end()]), '')}]"
        ),
        explanation.path,
    )
    kind, _, name = explanation.object.partition(" ")
    for base in {_words(explanation.path), _words(with_names.replace("[name=]", ""))}:
        for inner in ((), *_mount_path(explanation.value), *_inside(explanation.value)):
            for before in (kind, f"{kind}/{name}"):
                yield (*_words(before), *base, *inner)


def _mount_path(value: Any) -> Iterator[Words]:
    """Yield the path of a mount as `explain` prints it."""
    if isinstance(value, dict) and isinstance(value.get("mountPath"), str):
        yield _words(value["mountPath"])


def _inside(value: Any) -> Iterator[Words]:
    """Yield the paths inside a value."""
    if isinstance(value, dict):
        for key, inner_value in value.items():
            words = _words(str(key))
            yield words
            yield from ((*words, *inner) for inner in _inside(inner_value))
    elif isinstance(value, list | tuple):
        for inner_value in value:
            yield from _inside(inner_value)


def _keys(explanation: "Explanation") -> Iterator[list[str]]:
    """Yield the paths of a decision with their keys as written, after the kind of its object."""
    keys = [quoted or plain for quoted, plain in _KEY.findall(_POSITION.sub("", explanation.path))]
    base = [explanation.object.partition(" ")[0], *keys]
    yield base
    if isinstance(explanation.value, dict):
        yield from ([*base, str(key)] for key in explanation.value)


def _below(keys: list[str], words_asked: Words) -> Iterator[str]:
    """Yield the key directly after some words of a path."""
    for at in range(1, len(keys)):
        words = _words(".".join(keys[:at]))
        if words[len(words) - len(words_asked) :] == words_asked:
            yield keys[at]


def _holds(whole: Words, words: Words) -> bool:
    size = len(words)
    return any(whole[at : at + size] == words for at in range(len(whole) - size + 1))
