"""Differences between two sides: for a terminal, for a review comment, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gpuspec.diff import Diff

__all__ = ["Format", "diff_report"]

Format = Literal["text", "markdown", "json"]


def diff_report(
    diff: Diff, format: Format, *, width: int | None = None, color: bool = False
) -> str:
    """Return a comparison in a format, with a final line break.

    `width` and `color` are for text: the terminal's columns (None: no terminal, no folding) and
    whether it shows colour.
    """
    match format:
        case "text":
            from gpuspec.report.diff.text import diff_text

            return diff_text(diff, width=width, color=color)
        case "markdown":
            from gpuspec.report.diff.markdown import diff_markdown

            return diff_markdown(diff)
        case "json":
            from gpuspec.report.diff.as_json import diff_json

            return diff_json(diff)
