"""Findings as a list of JSON objects: the format for programs of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuspec.lint.result import Result


def json_report(result: Result) -> str:
    """A list of objects with the fields of `Finding`, all of them always there, in that order."""
    from msgspec import to_builtins

    return dumped(to_builtins(result.findings))


def dumped(value: Any) -> str:
    """JSON as all our reports write it, its last line ended."""
    import json

    from gpuspec.report.lint.words import encodable

    # Half a surrogate is escaped as JSON does it: what is escaped reads back.
    return encodable(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"
