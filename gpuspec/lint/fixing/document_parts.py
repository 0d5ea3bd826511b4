"""Parts of a document that can be parsed by themselves, so that a change in one is verified without
the rest.

In block style, a part is the whole lines of an entry or an item; the indentation around them does
not change, so a parser reaches them in the same state. In JSON, it is a mapping or list. Text with
an anchor or alias is never a part.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.fixing.changes import same
from gpuspec.lint.fixing.styled_text import StyledText, is_json
from gpuspec.manifests import InputError, read, read_chunk
from gpuspec.manifests.construct import construct
from gpuspec.manifests.graph import MappingNode, SequenceNode, compose
from gpuspec.manifests.json_loading import is_deeper
from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.positions import Positions
from gpuspec.manifests.reader import YamlReaders
from gpuspec.manifests.sources import Chunk, SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.fixing.places import Slot
    from gpuspec.manifests import Path
    from gpuspec.manifests.graph import YamlNode

# What ends a document, wherever it stands at a line's begin.
_ENDS = re.compile(r"^(?:---|\.\.\.)", re.MULTILINE)
# The first character that is neither blank nor in a comment, and the blanks before it on its line.
_FIRST = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*( *)(\S)")
# What opens anything but the plain or quoted key of an entry.
_NO_KEY = "{[?&!*"
_READERS = YamlReaders()


class DocumentPart(msgspec.Struct, frozen=True, eq=False):
    """A part, or the whole of a document."""

    doc: StyledText
    start: int
    end: int
    base: Path = ()
    """The path of its value in the document."""
    inside: Path = ()
    """The path of its value in the parsed part, which is a mapping of one entry, a list of one
    item, or only the value."""
    node: YamlNode | None = None
    """Its node; None for the whole document."""

    @property
    def text(self) -> str:
        """The text of the part."""
        return self.doc.text[self.start : self.end]

    @property
    def begins_in_a_line(self) -> bool:
        """Whether other text precedes it on its first line."""
        return self.start > self.doc.line_start(self.start)

    def inner(self, path: Path) -> Path:
        """Convert a path in the document to one in the part."""
        return (*self.inside, *path[len(self.base) :])

    def outer(self, path: Path) -> Path:
        """Convert a path in the part to one in the document."""
        return (*self.base, *path[len(self.inside) :])

    def written(self, text: str) -> StyledText:
        """Return the part with another text, in the style of the document."""
        return Within(text, self.doc, self.start)

    def value(self, whole: object) -> Any:
        """Return the value of the part; `whole` is the value of the document, None if unknown."""
        if whole is not None:
            value: Any = whole
            for step in self.base:
                value = value[step]
        else:
            node = self.doc.root if self.node is None else self.node
            value = construct(node, _chunk(self.doc.text, is_json=self.doc.is_json))[0]
        for step in reversed(self.inside):
            value = [value] if isinstance(step, int) else {step: value}
        return value

    def becomes(self, text: str, target: object) -> bool:
        """Return whether the part with another text has the target value, and the rest of the
        document is unchanged."""
        # A document's last line may do without an end, and no other.
        if _has_end(text) < _has_end(self.text):
            return False
        if self.doc.is_json and not is_json(text):
            return False
        if self.node is not None and not self._fits(text, target):
            return False
        values = self._values(text)
        return len(values) == 1 and same(values[0], target)

    def _fits(self, text: str, target: object) -> bool:
        """Return whether a text is not nested too deep, begins in the part's column, and contains
        no end of a document."""
        if is_deeper(target, MAX_DEPTH + len(self.inside) - len(self.base)):
            return False
        if self.doc.is_json:
            return True
        first = _FIRST.match(text)
        if first is None or len(first[1]) != self.doc.lead(self.start) or _ENDS.search(text):
            return False
        return first[2] == "-" if self.inside == (0,) else first[2] not in _NO_KEY

    def _values(self, text: str) -> list[object]:
        """Return the values of a text; nothing if it is invalid."""
        if self.node is None:
            try:
                return [document.value for document in read(text, "")]
            except InputError:
                return []
        chunk, anchors = _chunk(text, is_json=self.doc.is_json), self.doc.anchors_before(self.start)
        if not anchors:
            documents, problems = read_chunk(chunk, _READERS)
            return [] if problems else [document.value for document in documents]
        root, problems = compose(chunk, anchors)
        if root is None or problems:
            return []
        value, problems = construct(root, chunk)
        return [] if problems else [value]


class Within(StyledText):
    """A part of a document with another text, in the style of the document."""

    def __init__(self, text: str, outer: StyledText, start: int) -> None:
        """Keep the text; `start` is the offset of the part in the document."""
        positions = Positions(_chunk(text, is_json=outer.is_json), outer.anchors_before(start))
        super().__init__(text, is_json=outer.is_json, positions=positions)
        self._outer = outer
        self.newline = outer.newline
        self.step, self.dash_step = outer.step, outer.dash_step
        if outer.is_json:
            self.json_step, self.is_tight = outer.json_step, outer.is_tight

    def text_pad(self, pad: int) -> int | None:
        """Return the padding at the document's end."""
        return self._outer.text_pad(pad)


def parts(doc: StyledText, path: Path) -> Iterator[DocumentPart]:
    """Yield the parts that contain a path, from the smallest one to the whole document."""
    slots = doc.found(path)
    for end in range(len(slots), 0, -1):
        part = _in_brackets if doc.is_json else _of_lines
        document_part = part(doc, slots[end - 1], path[:end])
        if document_part is not None and not doc.is_named(document_part.start, document_part.end):
            yield document_part
    yield DocumentPart(doc, 0, len(doc.text))


def _in_brackets(doc: StyledText, slot: Slot, base: Path) -> DocumentPart | None:
    """Return the part for a JSON value; None if it is not a collection."""
    node = slot.value
    if not isinstance(node, MappingNode | SequenceNode):
        return None
    return DocumentPart(doc, doc.start(node), doc.end(node), base, (), node)


def _of_lines(doc: StyledText, slot: Slot, base: Path) -> DocumentPart | None:
    """Return the part with the lines of an entry or item in block style, including comments and
    blank lines after it; None if it shares a line."""
    if doc.has_odd_breaks or doc.is_flow(slot.parent) or doc.is_pair(slot.parent):
        return None
    is_item = slot.key is slot.value
    begin, end = doc.dash(slot) if is_item else doc.start(slot.key), doc.end(slot.value)
    if not (doc.is_first(begin) and doc.is_last(end)):
        return None
    behind = doc.skip(doc.next_line(end))
    stop = doc.line_start(behind) if behind < len(doc.text) else behind
    if not _has_end(doc.text[begin:stop]):
        # How its last line ends is for the whole to say.
        return None
    inside = (0,) if is_item else base[-1:]
    return DocumentPart(doc, doc.line_start(begin), stop, base, inside, slot.value)


def _chunk(text: str, *, is_json: bool) -> Chunk:
    return Chunk(SourceFile("", text), 0, len(text), 0, is_json=is_json)


def _has_end(text: str) -> bool:
    """Return whether a line break ends the text."""
    return text.endswith(("\n", "\r"))
