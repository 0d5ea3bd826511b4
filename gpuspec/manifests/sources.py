"""Text as it was given, and the pieces that each hold one document."""

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
"""Line breaks to libyaml, as to YAML 1.1, and to no editor."""
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
    """A file's name, as the user gave it, and its whole text, a byte order mark included."""

    name: str
    text: str
    generated: bool = False
    """Whether a program made the text, so that nothing can be mended in it."""


class Chunk(msgspec.Struct, frozen=True, dict=True):
    """A piece of a source between two separators: at most one document."""

    source: SourceFile
    start: int
    """Offset of the first character in the source's text."""
    end: int
    """Offset behind the last character."""
    line: int
    """Lines before the piece."""
    column: int = 0
    """Characters before the piece on its first line."""
    is_json: bool = False
    """The piece is one JSON object (where JSON and YAML disagree, JSON it is)."""

    @property
    def text(self) -> str:
        """The piece itself."""
        return self.source.text[self.start : self.end]

    @property
    def parser_text(self) -> str:
        """The piece with JSON's surrogate pairs written as YAML does, at the same length."""
        if not self.is_json:
            return self.text
        from gpuspec.manifests.escapes import as_yaml

        return as_yaml(self.text)

    def following(self, start: int, end: int) -> "Chunk":
        """Return the JSON object from an offset to another in the source, here or later."""
        text = self.source.text
        lines = _lines(text, self.start, start)
        ends = (text.rfind(mark, self.start, start) for mark in "\r\n")
        base = max(ends) + 1 if lines else self.start - self.column
        return Chunk(self.source, start, end, self.line + lines, start - base, is_json=True)

    def place(self, line: int, column: int) -> Place:
        """Return the place of a position in the piece as libyaml tells it, counted from 0."""
        starts = self._yaml_starts if line else None
        if starts is None:
            return self._place(line, column)
        size = self.end - self.start
        return self.place_at(size if line >= len(starts) else min(starts[line] + column, size))

    def place_at(self, offset: int) -> Place:
        """Return the place of the character at an offset from the piece's start."""
        line = bisect.bisect_right(self._starts, offset) - 1
        return self._place(line, offset - self._starts[line])

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE.finditer(self.text))]

    @cached_property
    def _yaml_starts(self) -> list[int] | None:
        """Where libyaml sees lines begin; None where editors see the same."""
        if self.source.text.isascii() or not any(mark in self.text for mark in YAML_BREAKS):
            return None
        return [0, *(match.end() for match in _YAML_LINE.finditer(self.text))]

    def _place(self, line: int, column: int) -> Place:
        first = self.column if line == 0 else 0
        return Place(self.source.name, self.line + line + 1, first + column + 1)


def decode(data: bytes | str, name: str) -> SourceFile:
    """Return text from bytes.

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
    """Return what is said of an input of which more than so many bytes would have to be read."""
    hint = hint or "split it into several parts"
    return Problem(f"larger than {mib(most)}, the most that gpuspec reads", Place(name, 1, 1), hint)


def too_many(place: Place) -> Problem:
    """Return what is said of a text with too many documents, where the first of those begins."""
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
    """Cut a source at its ``---`` lines, as kubectl does before it reads any YAML.

    Of one with more documents than are read there is no piece, and one problem.
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
    """Yield offsets of the lines that start with three dashes."""
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
    """Return lines that end in a stretch of a text, as editors count: old Macs' end with a
    return."""
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
