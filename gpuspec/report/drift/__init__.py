"""Drift reports: for a terminal, for a review comment, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.drift import Drift


def drift_text(drift: Drift, *, width: int | None = None, color: bool = False) -> str:
    """Format the drift for people. `width` is the terminal's; None without one."""
    from gpuspec.report.drift.text import drift_text as text

    return text(drift, width=width, color=color)


def drift_markdown(drift: Drift) -> str:
    """Format the drift for a review comment."""
    from gpuspec.report.drift.markdown import drift_markdown as markdown

    return markdown(drift)


def drift_json(drift: Drift) -> str:
    """Format the drift for programs."""
    from gpuspec.report.drift.as_json import drift_json as as_json

    return as_json(drift)
