"""Our own Markdown on a terminal: pages of rules.

Headings, paragraphs, lists, code blocks and quotes; all else is shown as it is written.
"""

from __future__ import annotations

import re

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import BOLD, CYAN, fold, paint

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
CODE = "    "
"""Before the lines of a code block."""


def sections(text: str) -> dict[str, str]:
    """Return the text below each heading of the second level, by the heading."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            lines = found.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in found.items()}


def terminal(text: str, width: int | None, *, color: bool = False) -> list[str]:
    """Return the lines of a page. Without a width a paragraph is one line."""
    made: list[str] = []
    words: list[str] = []
    first = rest = ""

    def flush() -> None:
        if words:
            made.extend(fold(visible(_linked(" ".join(words))), width, first, rest))
            words.clear()

    code = False
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("```"):
            flush()
            code = not code
        elif code:
            made.append(f"{CODE}{visible(line)}".rstrip())
        elif line.startswith("#"):
            flush()
            made.append(paint(visible(line.lstrip("# ")), BOLD, CYAN, on=color))
        elif not bare:
            flush()
            if made and made[-1]:
                made.append("")
        elif bare.startswith(("- ", "* ")):
            flush()
            first = line[: len(line) - len(line.lstrip())] + "- "
            rest = " " * len(first)
            words.append(bare[2:])
        elif bare.startswith("|"):
            flush()
            made.append(visible(line))
        else:
            if not words:
                first = rest = ""
            words.append(bare)
    flush()
    return made


def _linked(text: str) -> str:
    """Return addresses in brackets behind what links to them; what links to a page beside is its
    text alone."""
    return _LINK.sub(
        lambda match: f"{match[1]} ({match[2]})" if "://" in match[2] else match[1], text
    )
