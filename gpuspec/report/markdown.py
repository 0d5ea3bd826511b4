"""Markdown of gpuspec's rule pages on a terminal.

Headings, paragraphs, lists, code blocks and quotes; other syntax is shown as written.
"""

from __future__ import annotations

import re

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import BOLD, CYAN, fold, paint

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
CODE = "    "
"""The margin of code blocks."""


def sections(text: str) -> dict[str, str]:
    """Return the text below each heading of the second level, by the heading."""
    by_heading: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            lines = by_heading.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in by_heading.items()}


def terminal(text: str, width: int | None, *, color: bool = False) -> list[str]:
    """Return the lines of a page. Without a width a paragraph is one line."""
    lines_shown: list[str] = []
    words: list[str] = []
    first = rest = ""

    def flush() -> None:
        if words:
            lines_shown.extend(fold(visible(_linked(" ".join(words))), width, first, rest))
            words.clear()

    code = False
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("```"):
            flush()
            code = not code
        elif code:
            lines_shown.append(f"{CODE}{visible(line)}".rstrip())
        elif line.startswith("#"):
            flush()
            lines_shown.append(paint(visible(line.lstrip("# ")), BOLD, CYAN, on=color))
        elif not bare:
            flush()
            if lines_shown and lines_shown[-1]:
                lines_shown.append("")
        elif bare.startswith(("- ", "* ")):
            flush()
            first = line[: len(line) - len(line.lstrip())] + "- "
            rest = " " * len(first)
            words.append(bare[2:])
        elif bare.startswith("|"):
            flush()
            lines_shown.append(visible(line))
        else:
            if not words:
                first = rest = ""
            words.append(bare)
    flush()
    return lines_shown


def _linked(text: str) -> str:
    """Return a text with URLs in brackets after their links; a link to a neighbouring page is only
    its text."""
    return _LINK.sub(
        lambda match: f"{match[1]} ({match[2]})" if "://" in match[2] else match[1], text
    )
