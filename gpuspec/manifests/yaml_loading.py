"""The fast path from YAML to plain values, for ordinary documents.

Most documents have no anchors, tags or errors. They are built directly from libyaml's events,
without a graph and without positions. For anything else :class:`UnusualError` is raised, and the
node graph is used.
"""

import re
from collections.abc import Callable
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

from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.plain_scalars import PlainScalars, UnusualError
from gpuspec.manifests.syntax import CParser

# Where libyaml and go-yaml part (besides a question mark in flow style): a tag without a name, and
# an escaped slash in double quotes. These find all such places, and some that are none.
_BARE_TAG = re.compile(r"(?:\A|[\s\[{,])!(?:\s|\Z)")
_QUOTED_SLASH = re.compile(r'"[^"]*\\/')


def load_yaml(text: str, words: PlainScalars) -> object:
    """Return the plain value of a piece of text with at most one document; None if it has none.

    Raises:
        UnusualError: the node graph must decide.
    """
    if "!" in text and _BARE_TAG.search(text):
        raise UnusualError
    if "\\/" in text and _QUOTED_SLASH.search(text):
        raise UnusualError
    try:
        next_event = CParser(text).get_event
        next_event()
        if next_event().__class__ is not DocumentStartEvent:
            return None
        value = _value(next_event(), next_event, words, 0)
        next_event()
        if next_event().__class__ is not StreamEndEvent:
            raise UnusualError
    except YAMLError:
        raise UnusualError from None
    return value


# Events are Any because the tests on their classes are written for speed: the checker cannot
# follow them.
def _value(event: Any, next_event: Callable[[], Any], words: PlainScalars, depth: int) -> object:
    kind = event.__class__
    if kind is ScalarEvent:
        if event.anchor is not None:
            raise UnusualError
        if event.implicit[0]:
            return words.scalars[event.value]
        if event.tag is not None:
            raise UnusualError
        return event.value
    if kind is not MappingStartEvent and kind is not SequenceStartEvent:
        raise UnusualError
    if depth == MAX_DEPTH or event.anchor is not None or event.tag is not None:
        raise UnusualError
    if event.flow_style:
        words = words.in_flow
    if kind is MappingStartEvent:
        return _mapping(next_event, words, depth + 1)
    items: list[object] = []
    while (event := next_event()).__class__ is not SequenceEndEvent:
        items.append(_value(event, next_event, words, depth + 1))
    return items


def _mapping(next_event: Callable[[], Any], words: PlainScalars, depth: int) -> dict[str, object]:
    scalars, keys = words.scalars, words.keys
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
            mapping[key] = _value(event, next_event, words, depth)
    return mapping
