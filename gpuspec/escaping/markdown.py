"""Markdown for comments on GitHub and GitLab, where text may also trigger actions."""

import re
from collections.abc import Iterable

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded

_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "\\*_[]#~|$"}
    # A name behind an @ would be told of it.
    | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\u200b"}
)
_ACTS = ("::", "/")
"""The beginnings of a log command and of a GitLab quick action."""
_FENCE = "```"


def prose(text: str) -> str:
    """Return a sentence for a line or a table cell: text in backquotes stays code, and all other
    text is literal."""
    parts = _one_line(text).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(part.translate(_SPECIAL) for part in parts)
    escaped = ""
    for index, part in enumerate(parts):
        escaped += part.translate(_SPECIAL) if index % 2 == 0 else code(part) if part else "\\`\\`"
    return escaped


def paragraph(text: str) -> str:
    """Return the same for the start of a line."""
    escaped = prose(text)
    return f"\\{escaped}" if escaped.startswith(_ACTS) else escaped


def code(text: str) -> str:
    """Return any text as code for a line or a table cell."""
    text = _one_line(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def fenced(lines: Iterable[str], language: str) -> list[str]:
    """Return any lines as a code block."""
    guarded_lines = [guarded(visible(line)) for line in lines]
    fence = _FENCE
    while any(fence in line for line in guarded_lines):
        fence += "`"
    return [f"{fence}{language}", *guarded_lines, fence]


def folded(title: str) -> str:
    """Return the first line of a folded section. It may contain HTML, but not Markdown."""
    from html import escape

    safe = escape(visible(title)).replace("@", "@&#8203;")
    return f"<details><summary>{safe}</summary>"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())
