"""Findings as a list of JSON objects, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.formats import json_text

if TYPE_CHECKING:
    from gpuspec.lint.result import LintResult


def json_report(result: LintResult) -> str:
    """Return a list of objects with every field of `Finding` in its order."""
    from msgspec import to_builtins

    return json_text(to_builtins(result.findings))
