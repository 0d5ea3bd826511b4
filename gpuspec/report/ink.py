"""Colour and folding of text on a terminal."""

import textwrap

_GLUE, _FILLER = "\0", "\1"
BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"


def paint(text: str, *styles: str, on: bool) -> str:
    """The text in these styles; as it is where there is no colour."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if on and text else text


def link(text: str, target: str) -> str:
    """The text as a link of the terminal (OSC 8), which shows as plain text where there are none."""
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def whole(text: str) -> str:
    """The text as a word that `fold` does not break, though it holds spaces."""
    return text.replace(" ", _GLUE)


def fold(text: str, width: int | None, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `width` columns, words kept whole; one line where there is no width."""
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
    return [line.replace(_GLUE, " ").replace(_FILLER, "") for line in lines]
