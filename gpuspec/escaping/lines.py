"""Whole reports for a terminal or the log of a CI job."""

import functools
import re

from gpuspec.escaping.characters import COMMAND, escape, hidden_in_lines

_COLOR = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\")
"""The escapes for colours and links."""
_UNUSUAL = re.compile(r"[^\n -~]")
"""The characters that are not printable ASCII."""
_AT_START = re.compile(r"^( *):(?=:)", re.MULTILINE)
"""GitHub executes a line that begins with `::`, even after blanks."""


def guarded(text: str, *, color: bool = False) -> str:
    """Return the lines of a report, of which none controls a terminal or is a CI command.

    This is the last check, on whole lines; names in them have been made `visible` before. The
    escapes for colours and links stay only with `color`.
    """
    bare = _COLOR.sub("", text) if color else text
    if _UNUSUAL.search(bare):
        text = _steering().sub(lambda match: _kept(match[0], color), text)
    if "##" in text:
        text = re.sub(COMMAND, lambda match: escape(match[0]), text)
    return _AT_START.sub(r"\1\\x3a", text) if "::" in text else text


@functools.cache
def _steering() -> re.Pattern[str]:
    return re.compile(f"{_COLOR.pattern}|{hidden_in_lines().pattern}")


def _kept(sequence: str, color: bool) -> str:
    if color and len(sequence) > 1:
        return sequence
    return escape(sequence[0]) + sequence[1:]
