"""Source texts, and their chunks of one document each."""

import bisect
import codecs
import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from gpuspec.manifests.limits import MAX_BYTES, MAX_DOCUMENTS, mib
from gpuspec.manifests.problems import InputError, Place, Problem

_BOM = "\ufeff"
YAML_BREAKS = "\x85\u2028\u2029"
"""Line breaks for libyaml and YAML 1.1, but for no editor."""
# Line ends as editors have them, and as libyaml, which tells positions, has them.
_LINE = re.compile("\r\n?|\n")
_YAML_LINE = re.compile(f"\r\n|[\r\n{YAML_BREAKS}]")
_WIDE = (
    # The UTF-32 mark begins with the UTF-16 one.
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class SourceFile(msgspec.Struct, frozen=True):
    """A file's name, as the user gave it, and its whole text, including a byte order mark."""

    name: str
    text: str
    generated: bool = False
    """Whether a program generated the text, so that it cannot be fixed."""


class Chunk(msgspec.Struct, frozen=True, dict=True):
    """A part of a source between two separators, with at most one document."""

    source: SourceFile
    start: int
    """The offset of its first character in the source's text."""
    end: int
    """The offset after its last character."""
    line: int
    """The number of lines before the chunk."""
    column: int = 0
    """The number of characters before the chunk on its first line."""
    is_json: bool = False
    """Whether the chunk is one JSON object; if JSON and YAML disagree, JSON wins."""

    @property
    def text(self) -> str:
        """The text of the chunk."""
        return self.source.text[self.start : self.end]

    @property
    def parser_text(self) -> str:
        """The text with JSON's surrogate pairs in YAML's notation, of the same length."""
        if not self.is_json:
            return self.text
        from gpuspec.manifests.escapes import as_yaml

        return as_yaml(self.text)

    def following(self, start: int, end: int) -> "Chunk":
        """Return the chunk of a later JSON object, between two offsets of the source."""
        text = self.source.text
        lines = _lines(text, self.start, start)
        ends = (text.rfind(mark, self.start, start) for mark in "\r\n")
        base = max(ends) + 1 if lines else self.start - self.column
        return Chunk(self.source, start, end, self.line + lines, start - base, is_json=True)

    def place(self, line: int, column: int) -> Place:
        """Return the place of libyaml's position in the chunk, counted from 0."""
        starts = self._yaml_starts if line else None
        if starts is None:
            return self._place(line, column)
        size = self.end - self.start
        return self.place_at(size if line >= len(starts) else min(starts[line] + column, size))

    def place_at(self, offset: int) -> Place:
        """Return the place of the character at an offset in the chunk."""
        line = bisect.bisect_right(self._starts, offset) - 1
        return self._place(line, offset - self._starts[line])

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE.finditer(self.text))]

    @cached_property
    def _yaml_starts(self) -> list[int] | None:
        """The starts of lines for libyaml; None if editors see the same lines."""
        if self.source.text.isascii() or not any(mark in self.text for mark in YAML_BREAKS):
            return None
        return [0, *(match.end() for match in _YAML_LINE.finditer(self.text))]

    def _place(self, line: int, column: int) -> Place:
        first = self.column if line == 0 else 0
        return Place(self.source.name, self.line + line + 1, first + column + 1)


def decode(data: bytes | str, name: str) -> SourceFile:
    """Convert bytes to text.

    Raises:
        InputError: too large, binary, or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise InputError([too_large(name)])
    text = _text(data, name) if isinstance(data, bytes) else data
    if "\0" in text:
        raise _refused(name, "the file is binary, neither YAML nor JSON")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        wrong = "half of a surrogate pair, which is no character"
        raise _refused(name, wrong, *_line_and_column(text, error.start)) from None
    return SourceFile(name, text)


def too_large(name: str, most: int = MAX_BYTES, hint: str | None = None) -> Problem:
    """Return the problem with an input of more than `most` bytes."""
    hint = hint or "split it into several parts"
    return Problem(f"larger than {mib(most)}, the most that gpuspec reads", Place(name, 1, 1), hint)


def too_many(place: Place) -> Problem:
    """Return the problem with a text of too many documents, at the first excess one."""
    message = f"more than the {MAX_DOCUMENTS:,} documents that gpuspec reads from one text"
    return Problem(message, place, "split them into several parts")


def _text(data: bytes, name: str) -> str:
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            raise _refused(name, f"the file is {encoding}", hint="save it as UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if b"\0" in data:
            return "\0"
        before = data[: error.start].decode()
        raise _refused(
            name,
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            *_line_and_column(before, len(before)),
            hint="save the file as UTF-8",
        ) from None


def split(source: SourceFile) -> tuple[list[Chunk], list[Problem]]:
    """Split a source at its ``---`` lines, as kubectl does before it parses YAML.

    A source with too many documents yields no chunk and one problem.
    """
    text = source.text
    chunks: list[Chunk] = []
    problems: list[Problem] = []
    start = at = 1 if text.startswith(_BOM) else 0
    line = 0
    for separator in _separators(text, at):
        if len(chunks) == MAX_DOCUMENTS:
            return [], [too_many(Place(source.name, line + 1, 1))]
        chunks.append(Chunk(source, start, separator, line))
        line += _lines(text, start, separator)
        start = text.find("\n", separator)
        start = len(text) if start < 0 else start + 1
        rest = text[separator + 3 : start].strip()
        if rest and not rest.startswith("#"):
            problems.append(_bad_separator(Place(source.name, line + 1, 1), rest))
        line += 1
    chunks.append(Chunk(source, start, len(text), line))
    return chunks, problems


def _separators(text: str, start: int) -> Iterator[int]:
    """Yield the offsets of the lines that begin with three dashes."""
    if text.startswith("---", start):
        yield start
    at = text.find("\n---", start)
    while at >= 0:
        yield at + 1
        at = text.find("\n---", at + 1)


def _bad_separator(place: Place, rest: str) -> Problem:
    if re.match(r"--BEGIN [A-Z ]+-----", rest):
        hint = "indent the certificate or key deeper than the field it belongs to"
    else:
        hint = "begin the document on the line below"
    return Problem("only a comment may follow '---' on its line", place, hint)


def _lines(text: str, start: int, end: int) -> int:
    """Return the number of line ends in a part of a text, as editors count them, including those of
    old Macs."""
    lines = text.count("\n", start, end)
    if returns := text.count("\r", start, end):
        lines += returns - text.count("\r\n", start, end)
    return lines


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n"), len(before) - (before.rfind("\n") + 1)


def _refused(
    name: str, message: str, line: int = 0, column: int = 0, hint: str | None = None
) -> InputError:
    return InputError([Problem(message, Place(name, line + 1, column + 1), hint)])
