"""Drift for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.diff.prose import parts
from gpuspec.report.drift import prose
from gpuspec.report.ink import BOLD, DIM, GREEN, RED, YELLOW, fold, paint

if TYPE_CHECKING:
    from gpuspec.drift import Difference, Drift

_STYLES = {"+": GREEN, "-": RED, "~": YELLOW}


def drift_text(drift: Drift, *, width: int | None = None, color: bool = False) -> str:
    """Return each difference with its sentences and fields, then missing kinds and counts."""
    page = _DriftPage(width, color)
    for difference in drift.differences:
        page.difference(difference)
    page.end(drift)
    return page.text()


class _DriftPage:
    def __init__(self, width: int | None, color: bool) -> None:
        self._lines: list[str] = []
        self._width = width
        self._color = color

    def text(self) -> str:
        return guarded("\n".join(self._lines) + "\n", color=self._color)

    def difference(self, one: Difference) -> None:
        """Write one difference, with a blank line before it."""
        if self._lines:
            self._lines.append("")
        sign = prose.SIGNS[one.how]
        head = f"{paint(sign, BOLD, _STYLES[sign], on=self._color)} "
        for at, title in enumerate(fold(visible(one.name), self._width, "  ", "    ")):
            text = paint(title.strip(), BOLD, on=self._color)
            self._lines.append(head + text if at == 0 else f"    {text}")
        if one.where:
            beside = f"  {visible(one.where)}"
            room = (self._width or 10**6) - len(one.name) - 2
            if len(beside) <= room:
                self._lines[-1] += paint(beside, DIM, on=self._color)
            else:
                self._add(f"  {beside}", DIM)
        for remark in one.remarks:
            self._folded(prose.sentence(remark), "  · ", "    ")
        for part, lines in parts(one.fields):
            if part:
                self._add(f"    {visible(part)}", DIM)
            indent = "      " if part else "    "
            for line in lines:
                first = f"{indent}{line.sign} " if line.sign != " " else indent
                self._folded(line.text, first, f"{indent}    ", _STYLES.get(line.sign, ""))

    def end(self, drift: Drift) -> None:
        """Write notes, kinds that the dump lacks, and counts."""
        if self._lines:
            self._lines.append("")
        for note in (*drift.notes, *prose.unseen(drift)):
            self._folded(note)
        if prose.has_fields(drift.differences):
            self._add(f"fields: {prose.LEGEND}", DIM)
        self._folded(f"{prose.summary(drift)}.", style=BOLD)

    def _folded(self, text: str, first: str = "", rest: str = "  ", style: str = "") -> None:
        for line in fold(visible(text), self._width, first, rest):
            self._add(line, style)

    def _add(self, line: str, style: str) -> None:
        self._lines.append(paint(line, style, on=self._color and bool(style)))
