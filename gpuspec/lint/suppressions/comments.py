"""Comments for the linter, and the lines to which each applies."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from yaml.error import YAMLError
from yaml.events import ScalarEvent

from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.lint.fixing.places import Slot
from gpuspec.lint.fixing.styled_text import StyledText
from gpuspec.manifests.graph import MappingNode, ScalarNode, SequenceNode, YamlNode
from gpuspec.manifests.sources import split
from gpuspec.manifests.syntax import CParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.manifests import Chunk, Place, SourceFile

_OURS = re.compile(r"(?:(?<=[ \t\r\n])|^)#[ \t]*gpuspec:[ \t]*([^\r\n]*)", re.MULTILINE)

Span = tuple[int, int, int, int]
"""First line and column, last line and the column after it, counted from 1."""


class Comment(msgspec.Struct, frozen=True):
    """One comment that begins with `gpuspec:`."""

    text: str
    """The text after `gpuspec:`, without trailing blanks."""
    start: int
    """Offset of its `#` in the source's text."""
    end: int
    line: int
    column: int
    alone: bool
    """Whether it is alone on its line."""
    lines: tuple[int, int] | None
    """The first and the last line to which it applies: its own, or those of the entry, item or
    document below it. None if nothing is below it."""
    also: frozenset[int] = frozenset()
    """Further lines: the first ones of scalars that end on its line."""
    spans: frozenset[Span] = frozenset()
    """Further blocks: those whose key or dash is on its line."""


def comments_of(source: SourceFile) -> Iterator[Comment]:
    """Yield all comments in a source, in order. Text in quoted and block scalars is not a comment."""
    if "gpuspec:" not in source.text:
        return
    for chunk in split(source)[0]:
        matches = list(_OURS.finditer(chunk.text))
        if matches:
            yield from _in_chunk(chunk, matches)


def _in_chunk(chunk: Chunk, matches: list[re.Match[str]]) -> Iterator[Comment]:
    text = chunk.text
    texts = sorted(_texts(text))
    try:
        reach: _Reach | None = _Reach(StyledText(text, is_json=False), chunk)
    except NoFixError:
        reach = None
    for match in matches:
        at = match.start()
        before = bisect_right(texts, at, key=itemgetter(0))
        if before and at < texts[before - 1][1]:
            continue
        place = reach.place(at) if reach else chunk.place_at(at)
        line = place.line
        alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
        comment = Comment(
            text=match[1].rstrip(),
            start=chunk.start + at,
            end=chunk.start + match.end(),
            line=line,
            column=place.column,
            alone=alone,
            # In a document that cannot be read nothing is known of blocks.
            lines=(line + 1, line + 1) if alone else (line, line),
        )
        if reach is None:
            yield comment
        elif alone:
            yield msgspec.structs.replace(comment, lines=reach.below(match.end()))
        else:
            also, spans = frozenset(reach.ending[line]), frozenset(reach.heads[line])
            yield msgspec.structs.replace(comment, also=also, spans=spans)


class _Reach:
    """Finds the lines to which a comment applies. Lines and columns of the source count from 1."""

    def __init__(self, doc: StyledText, chunk: Chunk) -> None:
        self._doc = doc
        self._chunk = chunk
        self._skipped = (-1, -1)
        """A cached stretch of comments and blanks, because many comments above one line search what
        is below."""
        self._blocks: dict[int, int] = {}
        """The last line of the longest entry or item that begins on a line."""
        self.heads: dict[int, set[Span]] = defaultdict(set)
        """The blocks below a line, whose key or dash is on it."""
        self.ending: dict[int, set[int]] = defaultdict(set)
        """The first lines of multi-line scalars, by their last line."""
        for holder in doc.collections:
            for begin, value in self._parts(holder):
                self._learn(begin, value)
        # Above a document's first line a comment is for all of it.
        self._learn(doc.start(doc.root), doc.root)

    def place(self, offset: int) -> Place:
        """Return the place of an offset in the piece."""
        return self._chunk.place(*self._doc.position(offset))

    def below(self, offset: int) -> tuple[int, int] | None:
        """Return the first and last line of the node after an offset."""
        if not self._skipped[0] <= offset <= self._skipped[1]:
            self._skipped = offset, self._doc.skip(offset)
        line = self.place(self._skipped[1]).line
        last = self._blocks.get(line)
        return None if last is None else (line, last)

    def _parts(self, holder: MappingNode | SequenceNode) -> Iterator[tuple[int, YamlNode]]:
        """Yield the starts of a collection's entries and items, with their values."""
        if isinstance(holder, MappingNode):
            yield from ((self._doc.start(key), value) for key, value in holder.entries())
            return
        for index, item in enumerate(holder.items):
            is_block = not self._doc.is_flow(holder)
            slot = Slot(holder, item, item, index)
            yield self._doc.dash(slot) if is_block else self._doc.start(item), item

    def _learn(self, begin: int, value: YamlNode) -> None:
        doc = self._doc
        first, last = self.place(begin).line, self.place(doc.end(value)).line
        self._blocks[first] = max(self._blocks.get(first, 0), last)
        starts = self.place(doc.start(value))
        if isinstance(value, ScalarNode):
            if starts.line < last and not doc.is_block_text(value):
                self.ending[last].add(starts.line)
        elif starts.line > first:
            end = self._chunk.place(*value.end)
            self.heads[first].add((starts.line, starts.column, end.line, end.column))


def _texts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of scalars. The first line of a block scalar may end with a comment."""
    next_event: Callable[[], Any] = CParser(text).get_event
    try:
        while (event := next_event()) is not None:
            if isinstance(event, ScalarEvent):
                yield _extent(event, text)
    except YAMLError:
        # What follows is no YAML: all comments there count.
        return


def _extent(event: Any, text: str) -> tuple[int, int]:
    # The stubs allow for events without marks; libyaml's have them.
    start, end = event.start_mark.index, event.end_mark.index
    if event.style in ("|", ">"):
        start = text.find("\n", start, end)
    return (start if start >= 0 else end), end
