"""Colour and folding of text on a terminal."""

import re
import textwrap

_GLUE, _FILLER, _BREAK = "\0", "\1", "\2 "
_DOT = re.compile(r"\.(?=[a-z])(?![^\[]*\])")
"""The dot between two fields of a path, outside of brackets."""
BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"


def paint(text: str, *styles: str, on: bool) -> str:
    """Return the text in these styles; unchanged without colour."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if on and text else text


def link(text: str, target: str) -> str:
    """Return the text as a terminal link (OSC 8), which other terminals show as plain text."""
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def whole(text: str) -> str:
    """Return the text as one word for `fold`, although it contains spaces."""
    return text.replace(" ", _GLUE)


def breakable(path: str, room: int | None) -> str:
    """Return a field's path as words that `fold` breaks after dots, if the path is wider than
    `room`."""
    return path if room is None or len(path) <= room else _DOT.sub(f".{_BREAK}", path)


def fold(text: str, width: int | None, first: str = "", rest: str = "") -> list[str]:
    """Return lines of at most `width` columns with whole words; one line without a width."""
    if not text.isascii():
        from unicodedata import east_asian_width

        # Wide characters take two columns; textwrap counts characters.
        text = "".join(c + _FILLER if east_asian_width(c) in "WF" else c for c in text)
    lines = (
        [first + text]
        if width is None
        else textwrap.wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        or [first]
    )
    gone = ((_BREAK, ""), (_BREAK.strip(), ""), (_GLUE, " "), (_FILLER, ""))
    return [_without(line, gone) for line in lines]


def _without(line: str, gone: tuple[tuple[str, str], ...]) -> str:
    for mark, text in gone:
        line = line.replace(mark, text)
    return line
