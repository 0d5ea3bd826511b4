"""The fleet as blocks on a terminal: a row for equal nodes, two columns for a GPU.

A workload is its letter. A partitioned GPU has as many columns as memory slices.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.escaping.characters import visible
from gpuspec.report.columns import cells, columns, window
from gpuspec.report.fit.amounts import change, gpus, letter, percent
from gpuspec.report.fit.states import BEFORE, IDLE, STRANDED, alike, arrange
from gpuspec.report.ink import BOLD, CYAN, DIM, GREEN, RED, YELLOW, fold, paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.fleet.fit.result import ClassShare, NodeRow
    from gpuspec.report.fit.states import Alike, GpuPicture, Groups, Sum

MOST = 36
"""The most rows of nodes; the others are counted."""
LINES = 48
"""The number of lines above which fewer rows are shown: rows of partitioned GPUs take several
lines."""
WIDTH = 80
_GLYPHS = {BEFORE: "▒", IDLE: "·", STRANDED: "╱"}
_MAGENTA, _BLUE = "35", "34"
_INKS = (CYAN, YELLOW, _MAGENTA, GREEN, _BLUE, RED)
_REVERSE = "7"
_ARROW = " → "
_BAR = 24
"""Columns of a bar."""
_NARROW = 12
"""The least columns for before and after side by side; with fewer, one is below the other."""
_FEW = 8
"""The most GPUs of a node that are drawn one by one; with more, equal GPUs are drawn once, with
their number."""


def fleet_blocks(
    before: Sequence[NodeRow], after: Sequence[NodeRow], *, width: int = WIDTH, color: bool = False
) -> list[str]:
    """Return the lines of the whole fleet, group by group."""
    lines: list[str] = []
    groups = alike(before, after)
    for most in (MOST, MOST // 2, MOST // 4):
        lines = _blocks(groups, most, width, color)
        if len(lines) <= LINES:
            break
    return lines


def _blocks(groups: Groups, most: int, width: int, color: bool) -> list[str]:
    blocks = arrange(groups, most)
    head = min(
        width // 3, max((_head_size(row) for block in blocks for row in block.rows), default=0)
    )
    lines: list[str] = []
    for block in blocks:
        name = cut(block.group or "nodes", width - 4)
        total_text = sum_text(block.all)
        if columns(name) + len(total_text) + 4 > width:
            lines.append(f"  {paint(name, BOLD, on=color)}")
            lines += [
                paint(part, DIM, on=color) for part in fold(total_text, width, "    ", "    ")
            ]
        else:
            lines.append(f"  {paint(name, BOLD, on=color)}  {paint(total_text, DIM, on=color)}")
        for row in block.rows:
            lines += _row(row, head, width, color)
        if block.rest is not None:
            lines += fold(rest_text(block.rest), width, "    ", "    ")
    return lines


def sum_text(of: Sum) -> str:
    """Return `12 nodes, 60.5 of 96 GPUs in use, 2 stranded`."""
    nodes = f"{of.nodes:,} node{'s' * (of.nodes != 1)}"
    if not of.gpus:
        return nodes
    lost = f", {gpus(of.stranded)} stranded" if of.stranded else ""
    total = f"{gpus(of.gpus)} GPU{'s' * (of.gpus != 1000)}"
    return f"{nodes}, {gpus(of.used)} of {total} in use{lost}"


def rest_text(rest: Sum) -> str:
    """Return the summary of the nodes that are not drawn: `and 312 nodes, 1,204 of 2,496 GPUs in
    use, in 40 more states`."""
    return f"and {sum_text(rest)}, in {counted(rest.states, 'more state')}"


def legend(
    names: Iterable[tuple[int, str]], *, width: int = WIDTH, color: bool = False
) -> list[str]:
    """Return the meaning of the letters and blocks that are drawn."""
    parts = []
    for who, name in names:
        parts.append(
            (_painted(glyph(who), who, color), f"{glyph(who)} {cut(name, min(40, width - 6))}")
        )
    lines = [""]
    used = 0
    for mark, text in parts:
        size = columns(text) + 3
        if used and used + size > width - 2:
            lines.append("")
            used = 0
        lines[-1] += ("   " if used else "  ") + mark + text[1:]
        used += size
    return lines if parts else []


def glyph(who: int) -> str:
    """Return the character of a tile."""
    return _GLYPHS[who] if who in _GLYPHS else letter(who)


def bars(
    classes: Sequence[ClassShare], *, both: bool = True, width: int = WIDTH, color: bool = False
) -> list[str]:
    """Return fragmentation by class, the idle GPUs that the class cannot use: before and after, or
    the current state."""
    most = max((max(share.fragment.before, share.fragment.after) for share in classes), default=0)
    room = max(10, min(26, width - 50))
    size = min(room, max((columns(visible(share.name)) for share in classes), default=5))
    change_texts = [change(class_.fragment) for class_ in classes]
    # Margin, the gaps and the share before a bar take sixteen columns.
    long = max(4, min(_BAR, width - size - 16 - max(map(len, change_texts), default=0)))
    title = "BEFORE → AFTER" if both else "GPUS"
    head = f"  {'CLASS':<{size}}  OF DEMAND  {' ' * long} {title}"
    lines = [paint(head, DIM, on=color)] if columns(head) <= width else []
    for share, figures in zip(classes, change_texts, strict=True):
        name = cut(share.name, size)
        bar = _bar(share.fragment.before, share.fragment.after, most, long)
        start = f"  {name}{' ' * (size - columns(name))}  {percent(share.weight, 1):>9}  "
        lines.append(f"{start}{paint(bar, YELLOW, on=color)}{' ' * (long - len(bar))} {figures}")
    return lines


def _bar(before: float, after: float, most: float, long: int) -> str:
    """Draw a bar as long as the value after; a decrease is light, an increase dark."""
    if not most:
        return ""
    old, new = round(before / most * long), round(after / most * long)
    old, new = max(old, before > 0), max(new, after > 0)
    return "█" * min(old, new) + ("▓" * (new - old) if new > old else "░" * (old - new))


def _head_size(row: Alike) -> int:
    return columns(_name(row)) + 1


def _name(row: Alike) -> str:
    return visible(row.names[0]) if len(row.names) == 1 else f"{len(row.names):,} nodes"


def _row(row: Alike, head: int, width: int, color: bool) -> list[str]:
    """Return a row's lines: the name, then GPUs before and after if these differ."""
    name = cut(_name(row), head)
    margin = f"    {name}{' ' * (head - columns(name))} "
    blank = " " * columns(margin)
    room = width - len(blank)
    if not row.gpus:
        return [margin + paint("no GPUs", DIM, on=color)]
    runs = [(sum(1 for _ in run), pair) for pair, run in groupby(row.gpus)]
    if len(row.gpus) <= _FEW and not any(new.slices for _, new in row.gpus):
        runs = [(1, pair) for pair in row.gpus]
    after = _wrapped([(count, new) for count, (_, new) in runs], room, color)
    if not row.changed:
        return [(margin if n == 0 else blank) + text for n, (text, _) in enumerate(after)]
    half = (room - len(_ARROW)) // 2
    if half < _NARROW:
        below = _wrapped([(count, new) for count, (_, new) in runs], room - len(_ARROW), color)
        above = _wrapped([(count, old) for count, (old, _) in runs], room - len(_ARROW), color)
        lines = [(margin if n == 0 else blank) + text for n, (text, _) in enumerate(above)]
        lines += [
            f"{blank[:-3]}{' ' * 3 if n else _ARROW}{text}" for n, (text, _) in enumerate(below)
        ]
        return lines
    before_lines = _wrapped([(count, old) for count, (old, _) in runs], half, color)
    right = _wrapped([(count, new) for count, (_, new) in runs], half, color)
    size = max(used for _, used in before_lines)
    lines = []
    for n, ((old, used), (new, _)) in enumerate(zip(before_lines, right, strict=True)):
        gap = " " * (size - used)
        lines.append(f"{blank if n else margin}{old}{gap}{'   ' if n else _ARROW}{new}")
    return lines


def _wrapped(
    runs: Sequence[tuple[int, GpuPicture]], room: int, color: bool
) -> list[tuple[str, int]]:
    """Return GPUs with their counts in lines of at most this many columns, with the used
    columns."""
    lines: list[tuple[str, int]] = []
    text, used = "", 0
    for count, picture in runs:
        tiles = _tiles(picture)
        times = f"{count}× " if count > 1 else ""
        size, gap = len(times) + len(tiles), 1 if used else 0
        if used and used + gap + size > room:
            lines.append((text, used))
            text, used, gap = "", 0, 0
        text += " " * gap + times + _run(tiles, color)
        used += gap + size
    return [*lines, (text, used)]


def _run(tiles: list[int], color: bool) -> str:
    """Return adjacent tiles of the same look in one colour sequence."""
    return "".join(_painted(glyph(who) * len(list(run)), who, color) for who, run in groupby(tiles))


def _painted(text: str, who: int, color: bool) -> str:
    if who >= 0:
        return paint(text, _INKS[who % len(_INKS)], _REVERSE, on=color)
    return paint(text, *({STRANDED: (RED,)}.get(who, (DIM,))), on=color)


def _tiles(gpu_picture: GpuPicture) -> list[int]:
    """Return the tile of each of a GPU's columns."""
    size = gpu_picture.slices or 2
    shown: list[int] = []
    if gpu_picture.slices:
        shown = [IDLE] * size
        for tile in gpu_picture.tiles:
            if tile.start is not None:
                end = min(tile.start + tile.slices, size)
                shown[tile.start : end] = [tile.who] * (end - tile.start)
        return shown
    # What is nearly full is not full, and what is small is something.
    most = max(1, size - len(gpu_picture.tiles) + 1)
    for tile in gpu_picture.tiles:
        if tile.who not in (IDLE, STRANDED):
            shown += [tile.who] * min(max(1, round(tile.milli * size / 1000)), most)
    lost = any(tile.who == STRANDED for tile in gpu_picture.tiles)
    return (shown + [STRANDED if lost else IDLE] * size)[:size]


def cut(text: str, size: int) -> str:
    """Return a name cut to this many columns."""
    line = cells(text)
    return window(line, 0, 1, size).show(line)
