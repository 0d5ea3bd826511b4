"""Drawings of a node's GPUs: whole GPUs, shares, and MIG slices at their memory positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpuspec.numbers import inexact
from gpuspec.report.fit.amounts import gpus, letter, resource
from gpuspec.report.fit.markup import Markup, element, joined
from gpuspec.report.fit.palette import FILLS
from gpuspec.report.fit.states import BEFORE, IDLE, STRANDED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.report.fit.states import GpuPicture, Tile

WIDE = 280
"""The width of a node's GPUs, in units of the picture: eight in a line, or four partitioned
ones."""
HIGH = 20
GAP = 4
_WHOLE, _CUT = (WIDE - 7 * GAP) / 8, (WIDE - 3 * GAP) / 4
_CLASSES = {BEFORE: "before", IDLE: "idle", STRANDED: "idle"}
_WORDS = {BEFORE: "in use before", IDLE: "idle", STRANDED: "stranded"}


def patterns() -> Markup:
    """Return the hatching that `gpus_drawn` refers to."""
    line = element("path", {"class": "hatch", "d": "M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2"})
    paper = element("rect", {"class": "paper", "width": 6, "height": 6})
    size = {"id": "hatch", "width": 6, "height": 6, "patternUnits": "userSpaceOnUse"}
    return element("defs", None, element("pattern", size, paper, line))


def height(row: Sequence[GpuPicture]) -> int:
    """Return the height of a node's GPUs."""
    lines = -(-len(row) // _per_line(row))
    return lines * (HIGH + GAP) - GAP if lines else 0


def gpus_drawn(
    row: Sequence[GpuPicture], names: Mapping[int, str], x: float = 0, y: float = 0
) -> Markup:
    """Return a node's GPUs, each with its title; eight or four in a line."""
    per_line = _per_line(row)
    size = _CUT if per_line == 4 else _WHOLE
    return joined(
        *(
            _gpu(
                picture,
                names,
                x + n % per_line * (size + GAP),
                y + n // per_line * (HIGH + GAP),
                size,
            )
            for n, picture in enumerate(row)
        )
    )


def swatch(who: int, x: float, y: float, size: float = HIGH) -> Markup:
    """Return the legend's box for a workload, or for another use."""
    return joined(*_tile(who, x, y, size), _edge(x, y, size))


def gpu_words(of: GpuPicture, names: Mapping[int, str]) -> str:
    """Return the parts of a GPU: `0.5 chat (A), 0.5 stranded: too little CPU beside it`."""
    texts = []
    for tile in of.tiles:
        use = (
            f"{names.get(tile.who, '')} ({letter(tile.who)})" if tile.who >= 0 else _WORDS[tile.who]
        )
        if tile.start is not None:
            last = tile.start + tile.slices - 1
            at = f"slice {tile.start}" if tile.slices == 1 else f"slices {tile.start} to {last}"
            texts.append(f"{at}: {use}")
        else:
            texts.append(use if tile.milli == 1000 else f"{gpus(tile.milli)} {use}")
    text = ", ".join(texts)
    if of.lacks is None:
        return text
    return (
        f"{text}: "
        f"{f'too little {resource(of.lacks)} on its node' if of.lacks else 'no workload requests it'}"
    )


def _per_line(row: Sequence[GpuPicture]) -> int:
    return 4 if any(picture.slices for picture in row) else 8


def _gpu(of: GpuPicture, names: Mapping[int, str], x: float, y: float, size: float) -> Markup:
    parts = [element("title", None, gpu_words(of, names))]
    if of.slices:
        parts += _tile(IDLE, x, y, size)
        slice_width = size / of.slices
        ticks = "".join(f"M{x + n * slice_width:.4g},{y:g} v{HIGH}" for n in range(1, of.slices))
        parts.append(element("path", {"class": "rule", "d": ticks}))
        for tile in of.tiles:
            if tile.start is not None:
                at = x + tile.start * slice_width
                parts += _tile(tile.who, at, y, tile.slices * slice_width, cut=True)
    else:
        parts += _shares(of.tiles, x, y, size)
    return element("g", None, *parts, _edge(x, y, size))


def _shares(tiles: Sequence[Tile], x: float, y: float, size: float) -> list[Markup]:
    parts: list[Markup] = []
    at = x
    for tile in tiles:
        wide = size * tile.milli / 1000
        parts += _tile(tile.who, at, y, wide)
        at += wide
    return parts


def _tile(who: int, x: float, y: float, wide: float, *, cut: bool = False) -> list[Markup]:
    """Return a filled box, with the workload's letter if the box is wide enough."""
    kind = _CLASSES.get(who, f"w{who % len(FILLS)}") + " cut" * cut
    box = {"x": inexact(x), "y": inexact(y), "width": inexact(wide), "height": HIGH}
    if who == STRANDED:
        return [element("rect", {"class": "cut" if cut else None, "fill": "url(#hatch)", **box})]
    parts = [element("rect", {"class": kind, **box})]
    if who >= 0 and wide >= 7:
        middle = {
            "x": inexact(x + wide / 2),
            "y": inexact(y + 14),
            "font-size": min(12, math.floor(wide) + 2),
        }
        parts.append(element("text", {"class": f"mark {_ink(who)}", **middle}, letter(who)))
    # Colours that come again are told apart by a line below the letter, then by one above it too.
    turn = who // len(FILLS)
    for at in (HIGH - 3, 1.5)[:turn] if who >= 0 else ():
        box = {
            "x": inexact(x + 2),
            "y": inexact(y + at),
            "width": inexact(max(wide - 4, 1)),
            "height": 1.5,
        }
        parts.append(element("rect", {"class": _ink(who), **box}))
    return parts


def _ink(who: int) -> str:
    """Return the CSS class of a workload's letter."""
    return f"l{who % len(FILLS)}"


def _edge(x: float, y: float, size: float) -> Markup:
    box = {"x": inexact(x), "y": inexact(y), "width": inexact(size), "height": HIGH, "rx": 2}
    return element("rect", {"class": "edge", **box})
