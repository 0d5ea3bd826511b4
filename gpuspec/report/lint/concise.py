"""One line for each finding, for editors and for `grep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.ink import BOLD, clean, paint
from gpuspec.report.lint.summary import STYLES
from gpuspec.report.lint.words import encodable, where

if TYPE_CHECKING:
    from gpuspec.lint.result import Result


def concise_report(result: Result, *, color: bool = False) -> str:
    """`file:line:column: GPU102 error message`."""
    lines: list[str] = []
    for one in result.findings:
        place = paint(clean(f"{where(one)}:"), BOLD, on=color)
        severity = paint(one.severity, BOLD, STYLES[one.severity], on=color)
        lines.append(f"{place} {one.rule} {severity} {clean(one.message)}\n")
    return encodable("".join(lines))
