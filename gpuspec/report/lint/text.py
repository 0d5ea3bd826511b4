"""Findings for people: as a compiler says them, with the lines they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.ink import BOLD, CYAN, DIM, fold, paint, whole
from gpuspec.report.lint.excerpt import Ink, excerpt
from gpuspec.report.lint.lines import Texts, span_of
from gpuspec.report.lint.patch import patch
from gpuspec.report.lint.summary import STYLES, WAYS, summary_text
from gpuspec.report.lint.words import fix_title, where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult

WIDTH = 80
"""Columns of excerpts where there is no terminal. Messages are not folded there."""
REPEATS = 3
"""Of findings of one file that say the same as many are shown in full; of the others, places."""
PLACES = 12
"""As many places of the others are listed."""
MANY = 10
"""Above as many findings, it is counted how many there are of each rule."""


def text_report(
    result: LintResult,
    *,
    width: int | None = None,
    color: bool = False,
    ways: tuple[str, str] | None = WAYS,
) -> str:
    """Each finding with its excerpt, what is known beside it and its fix; then the summary.

    Empty where nothing was found: a hook that is content says nothing. `width` is that of the
    terminal, None where there is none; `ways` are as `summary_text` takes them.
    """
    if not result.findings:
        return ""
    page = _Page(Texts(result.texts), width, color)
    for finding, others in _once(result.findings):
        page.finding(finding, others)
    if len(result.findings) > MANY:
        page.tally(result.findings)
    summary = summary_text(result, width=width, color=color, ways=ways)
    return guarded("\n".join(page.lines) + "\n" + summary, color=color)


def _once(findings: Iterable[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Findings to show, the last of those that say the same with the ones that are not shown."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        alike.setdefault(_said(one), []).append(one)
    for one in findings:
        group = alike[_said(one)]
        if one is group[min(REPEATS, len(group)) - 1]:
            yield one, group[REPEATS:]
        elif any(one is shown for shown in group[: REPEATS - 1]):
            yield one, []


def _said(one: Finding) -> tuple[str, ...]:
    return one.file, one.rule, one.severity, one.message, one.note or "", fix_title(one) or ""


class _Page:
    """Lines, as wide as asked."""

    def __init__(self, texts: Texts, width: int | None, color: bool) -> None:
        self.lines: list[str] = []
        self._texts = texts
        self._width = width
        self._color = color

    def finding(self, finding: Finding, others: list[Finding]) -> None:
        """One finding, an empty line behind it."""
        ink = Ink(self._width or WIDTH, self._color, STYLES[finding.severity])
        lines = self._texts.lines(finding.file)
        span = span_of(finding, lines)
        edits = finding.fix.edits if finding.fix is not None else ()
        numbers = [finding.line, *(edit.end_line + edit.text.count("\n") for edit in edits)]
        size = len(str(max([*numbers, span.last + 1 if span else 0])))
        self._head(finding, ink)
        arrow = paint(f"{'':>{size}}-->", DIM, on=self._color)
        self.lines.append(f"{arrow} {visible(where(finding))}")
        if span is not None:
            self.lines += [ink.gutter("", size), *excerpt(lines, span, size, ink)]
        self._remarks(finding, others, size)
        if (title := fix_title(finding)) is not None:
            head = paint("help:", BOLD, CYAN, on=self._color)
            first, *rest = fold(f"help: {visible(title)}", self._width, "", "  ")
            self.lines += [head + first.removeprefix("help:"), *rest]
            if lines:
                self.lines += patch(lines, edits, size, ink)
        self.lines.append("")

    def _head(self, finding: Finding, ink: Ink) -> None:
        """`error[GPU102] request-differs-from-limit: …`, folded for a terminal."""
        code = f"{finding.severity}[{finding.rule}]"
        sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
        name = f"{finding.name}{sure}:"
        first, *rest = fold(
            f"{whole(f'{code} {name}')} {visible(finding.message)}", self._width, "", "  "
        )
        painted = f"{ink.mark(code)} {paint(name, BOLD, on=self._color)}"
        self.lines += [painted + first.removeprefix(f"{code} {name}"), *rest]

    def _remarks(self, finding: Finding, others: list[Finding], size: int) -> None:
        if finding.object is not None:
            path = f", {whole(visible(finding.path))}" if finding.path else ""
            self._remark("in", whole(visible(str(finding.object))) + path, size)
        if finding.template is not None:
            self._remark("template", visible(finding.template), size)
        for other in finding.related:
            place = whole(visible(f"{other.file}:{other.line}:{other.column}:"))
            self._remark("see", f"{place} {visible(other.message)}", size)
        for line in finding.note.split("\n") if finding.note else ():
            self._remark("note", visible(line), size)
        if others:
            shown = ", ".join(f"{one.line}:{one.column}" for one in others[:PLACES])
            more = f" and {len(others) - PLACES} more" if len(others) > PLACES else ""
            self._remark("also", f"{len(others)} more like it, at {shown}{more}", size)

    def _remark(self, label: str, text: str, size: int) -> None:
        margin = " " * (size + 1)
        head = f"{margin}= {label}: "
        first, *rest = fold(text, self._width, head, " " * len(head))
        painted = (
            f"{margin}{paint('=', DIM, on=self._color)} {paint(f'{label}:', BOLD, on=self._color)} "
        )
        self.lines += [painted + first.removeprefix(head), *rest]

    def tally(self, findings: Iterable[Finding]) -> None:
        """How many there are of each rule, the most of them first."""
        counts: dict[tuple[str, str], int] = {}
        for one in findings:
            counts[one.rule, one.name] = counts.get((one.rule, one.name), 0) + 1
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        size = len(str(ranked[0][1]))
        for (code, name), count in ranked:
            self.lines.append(f"{count:>{size}}  {code}  {name}")
        self.lines.append("")
