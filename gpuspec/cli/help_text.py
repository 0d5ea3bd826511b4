"""Help pages on a narrow terminal: verbatim lines are folded at words, not by the terminal."""

import re
from collections.abc import Iterable
from inspect import cleandoc
from typing import Any

VERBATIM = "\b"
"""Marks a paragraph that typer does not fill."""
EXAMPLES = "Examples:"
_PAIR = re.compile(r"(?P<term>\s*\S.*?)(?P<gap>\s{2,})(?P<gloss>\S.*)")
_OPTION = re.compile(r"(?<=\s)--?\w[\w-]* [^\s|<>-]\S*")
"""An option with its value, which stay on one line."""
_LEAST = 24
"""The width below which a description stands under its term."""
_DEEPER = 4


def write(formatter: Any, text: str | None) -> None:
    """Write a command's help or epilog, with no line wider than the formatter's width."""
    if not text:
        return
    formatter.write_paragraph()
    with formatter.indentation():
        room = formatter.width - formatter.current_indent
        formatter.write_text(narrowed(cleandoc(text), room))


def narrowed(text: str, room: int) -> str:
    """Return the text with its verbatim paragraphs folded at `room`; only a longer word exceeds it."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        "\n".join(_lines(paragraph.splitlines(), room))
        if paragraph.startswith(VERBATIM)
        else paragraph
        for paragraph in paragraphs
    )


def _lines(lines: list[str], room: int) -> Iterable[str]:
    if all(len(line) <= room for line in lines):
        return lines
    command = EXAMPLES in lines
    return [folded for line in lines for folded in _folded(line, room, command)]


def _folded(line: str, room: int, command: bool) -> list[str]:
    """Return one line as several: a description stays in its column, a command goes on after a
    backslash.
    """
    from gpuspec.report.ink import fold, whole

    indent = line[: len(line) - len(line.lstrip())]
    deeper = indent + " " * _DEEPER
    pair = None if command else _PAIR.fullmatch(line)
    if pair is not None:
        column = " " * pair.start("gloss")
        if room - len(column) >= _LEAST:
            return fold(pair["gloss"], room, pair["term"] + pair["gap"], column)
        return [pair["term"], *fold(pair["gloss"], room, deeper, deeper)]
    if len(line) <= room:
        return [line]
    if not command:
        return fold(line.strip(), room, indent, indent)
    words = _OPTION.sub(lambda match: whole(match[0]), line.strip())
    *parts, last = fold(words, room - 2, indent, deeper)
    return [*(f"{part} \\" for part in parts), last]
