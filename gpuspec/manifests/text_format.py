"""Protocol buffers' text format, as configuration files of programs have it.

Source: protobuf.dev/reference/protobuf/textformat-spec. Extensions and `Any` are not read.
"""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*)*(?:
    (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:[eE][+-]?[0-9]+)?[fF]?))
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<mark>[-{}<>\[\]:,;])
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
_DEEPEST = 64
_CLOSING = {"{": "}", "<": ">"}


class TextFormatError(ValueError):
    """A text that is not of the format. `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        """Keep the line of the fault."""
        super().__init__(message)
        self.line = line


class QuotedText(str):
    """A text in quotes; a word without them is a plain one."""

    __slots__ = ()


class Number(str):
    """A number, as it is written."""

    __slots__ = ()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.kind, self.token = "", ""
        self.step()

    def step(self) -> None:
        """Go to the next token."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.error(f"`{self.text[self.at :].lstrip()[:1]}` is not expected")
        self.kind = match.lastgroup or "end"
        self.token = match.group(self.kind)
        self.at = match.end()

    def error(self, message: str) -> TextFormatError:
        """Return an error at the present token."""
        return TextFormatError(message, self.text.count("\n", 0, self.at) + 1)

    def take(self, mark: str) -> bool:
        """Skip a mark, if it is next."""
        if self.token != mark or self.kind != "mark":
            return False
        self.step()
        return True

    def message(self, closing: str, depth: int) -> dict[str, list[Any]]:
        """Read fields until a closing mark."""
        fields: dict[str, list[Any]] = {}
        if depth > _DEEPEST:
            raise self.error("messages are nested too deeply")
        while self.kind != "end" and not (self.kind == "mark" and self.token == closing):
            if self.kind != "word":
                raise self.error(f"`{self.token}` stands where a field is expected")
            name = self.token
            self.step()
            colon = self.take(":")
            fields.setdefault(name, []).extend(self.values(name, depth, has_colon=colon))
            _ = self.take(",") or self.take(";")
        if self.kind == "end" and closing:
            raise self.error(f"`{closing}` is missing")
        return fields

    def values(self, name: str, depth: int, *, has_colon: bool) -> list[Any]:
        """Read the value of a field, or the values of a list."""
        if not self.take("["):
            return [self.value(name, depth, has_colon=has_colon)]
        values: list[Any] = []
        while not self.take("]"):
            values.append(self.value(name, depth, has_colon=has_colon))
            if not self.take(",") and self.token != "]":
                raise self.error(
                    f"`]` of `{name}` is missing"
                    if self.kind == "end"
                    else f"`,` or `]` of `{name}` is missing before `{self.token}`"
                )
        return values

    def value(self, name: str, depth: int, *, has_colon: bool) -> Any:
        """Read a message or a scalar."""
        for opening, closing in _CLOSING.items():
            if self.take(opening):
                fields = self.message(closing, depth + 1)
                self.step()
                return fields
        if not has_colon:
            raise self.error(f"`:` is missing after `{name}`")
        if self.kind == "string":
            parts = []
            while self.kind == "string":
                parts.append(self.token[1:-1])
                self.step()
            return QuotedText("".join(parts))
        if self.kind == "number":
            number = Number(re.sub(r"\s", "", self.token))
            self.step()
            return number
        if self.kind == "word":
            word = self.token
            self.step()
            return word
        raise self.error(f"`{name}` has no value")


def read_text_format(text: str) -> dict[str, list[Any]]:
    """Return the fields of a message: the values of each, however often it is written.

    Raises:
        TextFormatError: the text is not of the format.
    """
    return _Reader(text).message("", 0)
