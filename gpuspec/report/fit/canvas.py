"""An SVG picture that grows downwards: the fleet node by node, then fragmentation by class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.escaping.characters import visible
from gpuspec.numbers import inexact
from gpuspec.report.columns import columns
from gpuspec.report.fit.amounts import amount, change, few, percent, resource
from gpuspec.report.fit.blocks import cut, rest_text, sum_text
from gpuspec.report.fit.drawing import GAP, HIGH, WIDE, gpus_drawn, height, patterns, swatch
from gpuspec.report.fit.markup import Markup, element, joined
from gpuspec.report.fit.palette import picture_css
from gpuspec.report.ink import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.fleet.fit.result import ClassShare
    from gpuspec.report.fit.states import Alike, GroupPicture

MARGIN, NAMES, BETWEEN, AFTER = 24, 180, 24, 240
"""Widths: of the margin, of node names, between before and after, and of the free resources of
nodes."""
_LETTER = 6.6
"""The usual width of a character at the usual size, for line breaks."""
_BAR = 300
_LEFT = "left: "


class Canvas:
    """The elements drawn so far, and the height that they take."""

    def __init__(self, sides: Sequence[str]) -> None:
        self.sides = tuple(sides)
        """The headings of the GPU columns: before and after, or one of them."""
        self.wide = MARGIN * 2 + NAMES + (WIDE + BETWEEN) * len(self.sides) + AFTER
        self._parts: list[Markup] = []
        self._y = MARGIN

    def svg(self, title: str, said: str) -> Markup:
        """Return the picture as a whole document."""
        size = {"width": self.wide, "height": self._y + MARGIN}
        paper = element("rect", {"class": "paper", **size})
        return element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                **size,
                "viewBox": f"0 0 {self.wide} {self._y + MARGIN}",
                "role": "img",
                "aria-labelledby": "title desc",
                "font-size": 12,
            },
            element("title", {"id": "title"}, title),
            element("desc", {"id": "desc"}, said),
            element("style", None, Markup(picture_css())),
            patterns(),
            paper,
            *self._parts,
        )

    def text(self, text: str, kind: str = "ink", size: int = 12, bold: bool = False) -> None:
        """Write a paragraph, with line breaks at the edge of the picture."""
        room = math.floor((self.wide - 2 * MARGIN) / (_LETTER * size / 12))
        for line in fold(visible(text), room):
            self._y += round(size * 1.45)
            self._write(MARGIN, self._y - round(size * 0.35), line, kind, size, bold)

    def verdict(self, who: int, text: str, kind: str) -> None:
        """Write a workload's letter and its result."""
        room = math.floor((self.wide - 2 * MARGIN - HIGH - 8) / _LETTER)
        self._parts.append(swatch(who, MARGIN, self._y))
        for line in fold(visible(text), room):
            self._write(MARGIN + HIGH + 8, self._y + 14, line, kind)
            self._y += 17
        self._y += HIGH - 17 + 4

    def gap(self, size: int = 12) -> None:
        """Leave a gap."""
        self._y += size

    def legend(self, names: Iterable[tuple[int, str]]) -> None:
        """Write the meaning of the fillings."""
        x = MARGIN
        for who, name in names:
            shown = cut(name, 42)
            wide = HIGH + 6 + round(columns(shown) * _LETTER) + 18
            if x > MARGIN and x + wide > self.wide - MARGIN:
                x, self._y = MARGIN, self._y + HIGH + 6
            self._parts.append(swatch(who, x, self._y))
            self._write(x + HIGH + 6, self._y + 14, shown)
            x += wide
        self._y += HIGH + 6

    def fleet(self, blocks: Sequence[GroupPicture], names: Mapping[int, str]) -> None:
        """Draw every group, equal nodes in one row."""
        for n, side in enumerate(self.sides):
            self._write(self._side(n), self._y + 12, side, "muted", bold=True)
        self._y += 18
        for block in blocks:
            across = {"class": "rule", "d": f"M{MARGIN},{self._y} h{self.wide - 2 * MARGIN}"}
            self._parts.append(element("path", across))
            self._write(MARGIN, self._y + 17, cut(block.group or "nodes", 27), bold=True)
            self._write(self._side(0), self._y + 17, sum_text(block.all), "muted")
            self._y += 25
            for row in block.rows:
                self._row(row, names)
            if block.rest is not None:
                self._write(MARGIN, self._y + 13, rest_text(block.rest), "muted")
                self._y += 20
            self._y += 6

    def bars(self, classes: Sequence[ClassShare]) -> None:
        """Draw two bars for each class, on one scale."""
        most = scale(classes)
        for class_ in classes:
            label = element("title", None, class_words(class_))
            self._write(MARGIN, self._y + 15, cut(class_.name, 44))
            label_end = MARGIN + 300
            self._write(label_end, self._y + 15, percent(class_.weight, 1), "muted", end=True)
            drawn = pair_of_bars(class_, most, label_end + 16, self._y, both=len(self.sides) > 1)
            self._parts.append(element("g", None, label, drawn))
            change_text = change(class_.fragment)
            self._write(label_end + 16 + _BAR + 10, self._y + 15, change_text)
            self._y += 26

    def _row(self, row: Alike, names: Mapping[int, str]) -> None:
        title = element("title", None, few(list(row.names), 12))
        name = row.names[0] if len(row.names) == 1 else counted(len(row.names), "node")
        shown = self._words(MARGIN, self._y + 14, cut(name, 28))
        self._parts.append(element("g", None, title, shown))
        if not row.gpus:
            self._write(self._side(0), self._y + 14, "no GPUs", "muted")
        states = ([old for old, _ in row.gpus], [new for _, new in row.gpus])
        for n, gpus in enumerate(states[2 - len(self.sides) :]):
            self._parts.append(gpus_drawn(gpus, names, self._side(n), self._y))
        lines = [cut(line, 36) for line in left_words(row)]
        for n, line in enumerate(lines):
            kind = "muted" if line.startswith(_LEFT) else "lost"
            self._write(self._side(len(self.sides)), self._y + 14 + 15 * n, line, kind)
        self._y += max(height(states[1]), HIGH, 15 * len(lines) + 4) + GAP

    def _side(self, n: int) -> int:
        return MARGIN + NAMES + (WIDE + BETWEEN) * n

    def _write(
        self,
        x: float,
        y: float,
        text: str,
        kind: str = "ink",
        size: int = 12,
        bold: bool = False,
        end: bool = False,
    ) -> None:
        self._parts.append(self._words(x, y, text, kind, size, bold, end))

    def _words(
        self,
        x: float,
        y: float,
        text: str,
        kind: str = "ink",
        size: int = 12,
        bold: bool = False,
        end: bool = False,
    ) -> Markup:
        style: dict[str, object] = {"class": kind, "x": x, "y": y}
        style |= {"font-size": size if size != 12 else None}
        style |= {"font-weight": 600 if bold else None, "text-anchor": "end" if end else None}
        return element("text", style, text)


def left_words(row: Alike) -> list[str]:
    """Return the idle GPUs of the nodes by the resource that they lack, and other free
    resources."""
    lost: dict[str, int] = {}
    for _, after in row.gpus:
        if after.lacks is not None:
            lost[after.lacks] = lost.get(after.lacks, 0) + 1
    texts = [
        f"{n} stranded: {f'too little {resource(name)}' if name else 'not requested'}"
        for name, n in lost.items()
    ]
    free = [name for name in ("cpu", "memory") if name in row.left]
    if row.gpus and free:
        texts.append(_LEFT + ", ".join(_span(name, *row.left[name]) for name in free))
    return texts


def _span(name: str, least: int, most: int) -> str:
    if least == most:
        return amount(name, least)
    low = amount(name, least).partition(" ")[0].removesuffix("Gi")
    return f"{low}–{amount(name, most)}"


def scale(classes: Sequence[ClassShare]) -> float:
    """Return the value of the longest bar."""
    return max(
        (max(class_.fragment.before, class_.fragment.after) for class_ in classes), default=0
    )


def class_words(class_share: ClassShare) -> str:
    """Return a class as a part of a sentence."""
    return (
        f"{class_share.name}, {percent(class_share.weight, 1)} of demand: "
        f"{change(class_share.fragment)} idle GPUs that it cannot use; slots for "
        f"{change(class_share.slots)} pods"
    )


def pair_of_bars(
    class_share: ClassShare, most: float, x: float, y: float, wide: float = _BAR, both: bool = True
) -> Markup:
    """Return the GPUs that a class cannot use: a bar before above one after, or only the second."""
    values = [("before", class_share.fragment.before), ("accent", class_share.fragment.after)]
    bar_height = 8 if both else 14
    bars = []
    for n, (kind, value) in enumerate(values if both else values[1:]):
        size = inexact(max(value / most * wide, 1.5 if value else 0)) if most else 0.0
        box = {
            "x": inexact(x),
            "y": inexact(y + 2 + n * (bar_height + 1)),
            "width": size,
            "height": bar_height,
        }
        bars.append(element("rect", {"class": kind, **box}))
    return joined(element("path", {"class": "rule", "d": f"M{x:g},{y:g} v21"}), *bars)
