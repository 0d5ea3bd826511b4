"""Differences for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.diff import prose
from gpuspec.report.ink import BOLD, CYAN, DIM, GREEN, RED, YELLOW, breakable, fold, paint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.diff import Diff, Field, Level, ObjectChange, SpecChange

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": "~", "retargeted": "~"}
_STYLES = {"+": GREEN, "-": RED, "~": YELLOW, " ": ""}
_LEVELS: dict[Level, str] = {"any": CYAN, "restart": YELLOW, "breaking": RED}


def diff_text(diff: Diff, *, width: int | None = None, color: bool = False) -> str:
    """Return each object with the effect of its change and its fields, and the totals at the end.

    `width` is the terminal's; None without a terminal, then nothing is folded.
    """
    page = _DiffPage(width, color)
    specs = {spec.name: spec for spec in diff.specs}
    within = ""
    for change in diff.changes:
        if change.spec != within:
            within = change.spec
            if within:
                page.spec(within, specs.pop(within, None))
        page.change(change)
    for name, spec in specs.items():
        page.spec(name, spec)
    page.end(diff)
    return page.text()


class _DiffPage:
    def __init__(self, width: int | None, color: bool) -> None:
        self._lines: list[str] = []
        self._width = width
        self._color = color

    def text(self) -> str:
        return guarded("\n".join(self._lines) + "\n", color=self._color)

    def spec(self, name: str, change: SpecChange | None) -> None:
        """Write a workload, and the changes of its spec."""
        self._gap()
        sign = "~" if change is None else _SIGNS[change.change]
        self._head(sign, name, "" if change is None else change.file or change.old_file)
        if change is not None:
            self._fields(change.fields)

    def change(self, change: ObjectChange) -> None:
        """Write one object."""
        self._gap()
        file = "" if change.spec else change.file or change.old_file
        self._head(_SIGNS[change.change], prose.title(change), file)
        for remark in prose.remarks(change):
            style = (
                RED if remark.alarm else _LEVELS[change.level] if remark.about == "effect" else ""
            )
            mark = "! " if remark.alarm else "· "
            for line in fold(visible(remark.text), self._width, f"  {mark}", "    "):
                self._add(line, style)
        self._fields(prose.shown(change.fields))
        if (origin := prose.origin(change)) is not None:
            self._add(f"    {origin}", DIM)

    def end(self, diff: Diff) -> None:
        """Write totals, notes and counts."""
        self._gap()
        for note in diff.notes:
            self._folded(note)
        if total := prose.totals(diff):
            self._folded(f"Total: {total}")
        self._folded(f"{prose.summary(diff)}.", BOLD)

    def _head(self, sign: str, title: str, file: str) -> None:
        head = f"{paint(sign, BOLD, _STYLES[sign], on=self._color)} "
        for at, line in enumerate(fold(visible(title), self._width, "  ", "    ")):
            text = paint(line.strip(), BOLD, on=self._color)
            self._lines.append(head + text if at == 0 else f"    {text}")
        if file:
            beside = f"  {visible(file)}"
            room = (self._width or 10**6) - len(title) - 2
            if len(beside) <= room:
                self._lines[-1] += paint(beside, DIM, on=self._color)
            else:
                self._add(f"  {beside}", DIM)

    def _fields(self, fields: Iterable[Field]) -> None:
        for part, lines in prose.parts(fields):
            if part:
                self._add(f"    {visible(part)}", DIM)
            indent = "      " if part else "    "
            for line in lines:
                first = f"{indent}{line.sign} " if line.sign != " " else indent
                path, *value_parts = visible(line.text).split(":", 1)
                room = self._width and self._width - len(f"{indent}    ")
                text = ":".join([breakable(path, room), *value_parts])
                for folded_line in fold(text, self._width, first, f"{indent}    "):
                    self._add(folded_line, _STYLES[line.sign])

    def _folded(self, text: str, style: str = "") -> None:
        for line in fold(visible(text), self._width, "", "  "):
            self._add(line, style)

    def _add(self, line: str, style: str) -> None:
        self._lines.append(paint(line, style, on=self._color and bool(style)))

    def _gap(self) -> None:
        if self._lines:
            self._lines.append("")
