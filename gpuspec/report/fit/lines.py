"""Lines of a report on a terminal: headings, sentences with labels, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.columns import columns
from gpuspec.report.fit.blocks import WIDTH
from gpuspec.report.ink import BOLD, DIM, fold, paint

if TYPE_CHECKING:
    from collections.abc import Iterable

_LABEL = 12
"""Columns of the label before a sentence."""


class Page:
    """The lines of the report, at most as wide as the terminal."""

    def __init__(self, width: int | None, color: bool) -> None:
        self.lines: list[str] = []
        self.width = width
        self.wide = width or WIDTH
        """The width of pictures, which always have one."""
        self.color = color

    def text(self) -> str:
        """Return all lines, with a final line break."""
        return guarded("\n".join(self.lines) + "\n", color=self.color)

    def gap(self) -> None:
        """Write an empty line, except at the top."""
        if self.lines:
            self.lines.append("")

    def heading(self, text: str, aside: str = "") -> None:
        """Write a heading, and its subject on the same line."""
        head = visible(text)
        if self.width is not None and columns(f"{head}  {visible(aside)}") > self.width:
            self.folded(head, "", "  ", BOLD)
            self.folded(aside, "  ", "  ", DIM)
            return
        beside = f"  {paint(visible(aside), DIM, on=self.color)}" if aside else ""
        self.lines.append(paint(head, BOLD, on=self.color) + beside)

    def folded(self, text: str, first: str, rest: str, style: str = "") -> None:
        """Write a sentence, folded into lines."""
        for line in fold(visible(text), self.width, first, rest):
            self.lines.append(paint(line, style, on=self.color and bool(style)))

    def verdict(self, head: str, word: str, sentence: str, style: str) -> None:
        """Write `A chat (Deployment, serving): placed, 4 of 4 pods`; `sentence` begins with
        `word`."""
        painted = paint(word, BOLD, style, on=self.color)
        if self.width is not None and columns(f"{visible(head)} {sentence}") > self.width:
            first, *rest = fold(visible(sentence), self.width, "  ", "  ")
            self.folded(head, "", "  ", BOLD)
            self.lines += [first.replace(word, painted, 1), *rest]
        else:
            shown = visible(sentence).replace(word, painted, 1)
            self.lines.append(f"{paint(visible(head), BOLD, on=self.color)} {shown}")

    def labelled(self, label: str, text: str, style: str = DIM) -> None:
        """Write a sentence after its label."""
        margin = f"  {label:<{_LABEL - 2}}"
        first, *rest = fold(visible(text), self.width, margin, " " * _LABEL)
        self.lines.append(f"  {paint(label, style, on=self.color)}{first[2 + len(label) :]}")
        self.lines += rest

    def message(self, text: str) -> None:
        """Write text that users copy: only a margin, and line breaks only between words."""
        self.lines += fold(visible(text), self.width, "    ", "    ")

    def blocks(self, lines: Iterable[str]) -> None:
        """Write lines unchanged."""
        self.lines += lines

    def notes(self, notes: Iterable[str]) -> None:
        """Write the assumptions."""
        notes = list(notes)
        if notes:
            self.gap()
            for note in notes:
                self.folded(note, "- ", "  ")
