"""The fast ways from text to plain values, for documents in which nothing is unusual.

Most documents have no anchors, tags or mistakes. They are built straight from libyaml's events
(block style) or by Python's JSON reader, without a graph and without positions. At the first
sign of anything else :class:`UnusualError` is raised, and the node graph decides.
"""

import functools
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from yaml.error import YAMLError
from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from gpuspec.manifests.escapes import has_half_pair
from gpuspec.manifests.scalars import Scalar, ScalarError, as_json, resolve, resolve_key
from gpuspec.manifests.syntax import MAX_DEPTH, CParser

_BLANKS = re.compile(r"[ \t\r\n]*")


class UnusualError(Exception):
    """The document holds something that the fast ways do not read."""


class Scalars(dict[str, Scalar]):
    """What unquoted scalars mean, worked out once each."""

    def __missing__(self, text: str) -> Scalar:
        value = resolve(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise UnusualError
        self[text] = value
        return value


class Keys(dict[str, str]):
    """What unquoted keys become, worked out once each."""

    def __missing__(self, text: str) -> str:
        if text == "<<":
            raise UnusualError
        try:
            key = resolve_key(text)
        except ScalarError:
            raise UnusualError from None
        self[text] = key
        return key


def load_yaml(text: str, scalars: Scalars, keys: Keys) -> object:
    """The plain value of a piece of text with at most one document; None if it has none.

    Raises:
        UnusualError: the node graph must decide.
    """
    # Where libyaml and go-yaml part: a question mark inside [...], an escaped slash, a bare tag.
    if "?" in text and ("[" in text or "{" in text):
        raise UnusualError
    if "\\/" in text or "! " in text or "!\n" in text or "!\r" in text or text.endswith("!"):
        raise UnusualError
    try:
        next_event = CParser(text).get_event
        next_event()
        if next_event().__class__ is not DocumentStartEvent:
            return None
        value = _value(next_event(), next_event, scalars, keys, 0)
        next_event()
        if next_event().__class__ is not StreamEndEvent:
            raise UnusualError
    except YAMLError:
        raise UnusualError from None
    return value


# Events are Any because the tests on their classes are written for speed: the checker cannot
# follow them.
def _value(
    event: Any, next_event: Callable[[], Any], scalars: Scalars, keys: Keys, depth: int
) -> object:
    kind = event.__class__
    if kind is ScalarEvent:
        if event.anchor is not None:
            raise UnusualError
        if event.implicit[0]:
            return scalars[event.value]
        if event.tag is not None:
            raise UnusualError
        return event.value
    if depth == MAX_DEPTH or event.anchor is not None or event.tag is not None:
        raise UnusualError
    if kind is MappingStartEvent:
        return _mapping(next_event, scalars, keys, depth + 1)
    if kind is SequenceStartEvent:
        items: list[object] = []
        while (event := next_event()).__class__ is not SequenceEndEvent:
            items.append(_value(event, next_event, scalars, keys, depth + 1))
        return items
    raise UnusualError


def _mapping(
    next_event: Callable[[], Any], scalars: Scalars, keys: Keys, depth: int
) -> dict[str, object]:
    mapping: dict[str, object] = {}
    while (event := next_event()).__class__ is not MappingEndEvent:
        if event.__class__ is not ScalarEvent or event.anchor is not None:
            raise UnusualError
        if event.implicit[0]:
            key = keys[event.value]
        elif event.tag is not None:
            raise UnusualError
        else:
            key = event.value
        if key in mapping:
            raise UnusualError
        event = next_event()
        # The commonest value, without a call.
        if event.__class__ is ScalarEvent and event.anchor is None and event.implicit[0]:
            mapping[key] = scalars[event.value]
        else:
            mapping[key] = _value(event, next_event, scalars, keys, depth)
    return mapping


def load_json(text: str) -> Iterator[tuple[int, int, object, bool]]:
    """JSON objects one after the other: where each begins and ends, its value, whether it holds.

    It does not where a key stands twice or the nesting is deep: then the node graph must judge.

    Raises:
        UnusualError: something is not JSON.
    """
    at = _skip_blanks(text, 0)
    while at < len(text):
        doubts: list[str] = []
        decoder = json.JSONDecoder(
            object_pairs_hook=functools.partial(_object, doubts),
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise UnusualError from None
        if has_half_pair(text[at:end]):
            doubts.append("half of a surrogate pair")
        brackets = text.count("{", at, end) + text.count("[", at, end)
        if brackets > MAX_DEPTH and _deeper(value, MAX_DEPTH):
            doubts.append("deep nesting")
        yield at, end, value, not doubts
        at = _skip_blanks(text, end)


def _skip_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _object(doubts: list[str], pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        doubts.append("duplicate key")
    return mapping


def _deeper(value: object, levels: int) -> bool:
    """Whether a value nests deeper than so many levels."""
    if isinstance(value, dict):
        value = list(value.values())
    elif not isinstance(value, list):
        return False
    return levels == 0 or any(_deeper(item, levels - 1) for item in value)


def _integer(digits: str) -> int | float:
    return as_json(int(digits)) if len(digits) < 100 else _float(digits)


def _float(digits: str) -> int | float:
    number = float(digits)
    if math.isinf(number):
        raise UnusualError
    return as_json(number)


def _constant(_: str) -> None:
    # NaN and Infinity are not JSON, and plain text in YAML.
    raise UnusualError
