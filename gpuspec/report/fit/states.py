"""Nodes of a fleet as pictures show them: equal nodes are drawn once, with a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gpuspec.fleet.fit.result import Cell, DeviceUse, NodeRow

BEFORE, IDLE, STRANDED = -1, -2, -3
"""The contents of a tile without a workload."""
_REST = 1 << 30
"""The sort key of idle parts, after all workloads and slices."""
_ORDER = {BEFORE: -1, IDLE: _REST, STRANDED: _REST + 1}


LARGEST = 1_800_000
"""The most characters of a page or picture."""


class Tile(msgspec.Struct, frozen=True):
    """A part of a GPU with one look."""

    who: int
    """Index of the workload, or `BEFORE`, `IDLE`, `STRANDED`."""
    milli: int
    start: int | None = None
    """The first memory slice of a MIG slice, and the number of its slices."""
    slices: int = 0


class GpuPicture(msgspec.Struct, frozen=True):
    """One GPU of a picture: used parts first, idle parts last."""

    tiles: tuple[Tile, ...]
    slices: int = 0
    """Memory slices of a partitioned GPU; otherwise 0."""
    lacks: str | None = None
    """The resource whose lack strands the idle rest."""


Pair = tuple[GpuPicture, GpuPicture]
"""A GPU before and after."""
Tiles = list[tuple[int, int, int]]
Order = tuple[Tiles, Tiles]
"""The sort key of a node's GPUs."""


class Alike(msgspec.Struct, frozen=True):
    """Nodes of one group with the same look, before and after."""

    names: tuple[str, ...]
    gpus: tuple[Pair, ...]
    left: dict[str, tuple[int, int]]
    """The least and the most that is free on them after, by resource, without GPU resources."""

    @property
    def changed(self) -> bool:
        """Whether a workload was placed on them."""
        return any(before != after for before, after in self.gpus)


class Sum(msgspec.Struct, frozen=True):
    """Nodes that are counted; GPUs in thousandths, after."""

    nodes: int
    states: int
    gpus: int
    used: int
    stranded: int


class GroupPicture(msgspec.Struct, frozen=True):
    """The nodes of one group."""

    group: str
    rows: tuple[Alike, ...]
    all: Sum
    rest: Sum | None
    """The nodes that are in no row; None if there are none."""


Groups = dict[str, list[Alike]]
"""Rows of each group of nodes; groups with placed workloads come first."""


def alike(before: Sequence[NodeRow], after: Sequence[NodeRow]) -> Groups:
    """Return nodes with the same look, by group.

    GPUs of a node are unordered: equal ones are adjacent. Whatever ran before is one tile.
    """
    earlier = {row.name: row for row in before}
    groups: dict[str, dict[tuple[Pair, ...], list[NodeRow]]] = {}
    orders: dict[Pair, Order] = {}

    def order(pair: Pair) -> Order:
        # Few GPUs of a fleet are unlike all others.
        if pair not in orders:
            orders[pair] = _order(pair[1]), _order(pair[0])
        return orders[pair]

    for row in after:
        old = earlier.get(row.name, row)
        pairs = zip(map(gpu, old.cells), map(gpu, row.cells), strict=True)
        key = tuple(sorted(pairs, key=order))
        groups.setdefault(row.group, {}).setdefault(key, []).append(row)
    return {
        name: sorted((_alike(key, rows) for key, rows in by_key.items()), key=_weight)
        for name, by_key in groups.items()
    }


def arrange(alike: Groups, most: int) -> list[GroupPicture]:
    """Return the fleet in groups, with at most `most` rows in all; the other nodes are counted."""
    shown = _shares({name: len(rows) for name, rows in alike.items()}, most)
    blocks = [
        GroupPicture(name, tuple(rows[: shown[name]]), _sum(rows), _rest(rows[shown[name] :]))
        for name, rows in alike.items()
        if shown[name]
    ]
    others = [rows for name, rows in alike.items() if not shown[name]]
    if others:
        blocks.append(
            GroupPicture(
                f"{len(others)} more groups", (), _sum(row for rows in others for row in rows), None
            )
        )
    return blocks


def sized(draw: Callable[[int], str], most: int) -> str:
    """Return the drawing with this many rows, or with fewer if it would be too large.

    A row of partitioned GPUs is many times larger than others.
    """
    drawing = draw(most)
    while len(drawing) > LARGEST and most > 20:
        most //= 2
        drawing = draw(most)
    return drawing


def gpu(cell: Cell) -> GpuPicture:
    """Return the picture of a GPU."""
    if len(cell.parts) == 1:
        part = cell.parts[0]
        tile = Tile(what(part), part.milli, part.start, part.slices)
        return GpuPicture((tile,), memory_slices(cell), cell.stranded)
    tiles: list[Tile] = []
    for part in sorted(cell.parts, key=_part_order):
        who = what(part)
        last = tiles[-1] if tiles else None
        if last is not None and part.start is None and last.start is None and last.who == who:
            tiles[-1] = Tile(who, last.milli + part.milli)
        else:
            tiles.append(Tile(who, part.milli, part.start, part.slices))
    return GpuPicture(tuple(tiles), memory_slices(cell), cell.stranded)


def memory_slices(cell: Cell) -> int:
    """Return the number of memory slices of a partitioned GPU: 8, or 4 for an A30. 0 for others.

    The thousandths of a slice are those of the memory.
    """
    for part in cell.parts:
        if part.start is not None:
            return max(round(1000 * part.slices / part.milli), part.start + part.slices)
    return 0


def what(part: DeviceUse) -> int:
    """Return the contents of a part: the index of its workload, or one of the other uses."""
    if part.idle:
        return STRANDED if part.stranded else IDLE
    return BEFORE if part.workload is None else part.workload


def _part_order(part: DeviceUse) -> tuple[int, int]:
    who = IDLE if part.idle else BEFORE if part.workload is None else part.workload
    return _REST if part.start is None else part.start, _ORDER.get(who, who)


def _order(of: GpuPicture) -> Tiles:
    """Return a sort key: what ran before, then workloads by number, then idle parts."""
    return [
        (_ORDER.get(tile.who, tile.who), -tile.milli, -1 if tile.start is None else tile.start)
        for tile in of.tiles
    ]


def _alike(pairs: tuple[Pair, ...], rows: list[NodeRow]) -> Alike:
    names = {name: None for row in rows for name in row.free if "/" not in name}
    free = {
        name: (
            min(row.free.get(name, 0) for row in rows),
            max(row.free.get(name, 0) for row in rows),
        )
        for name in names
    }
    return Alike(tuple(row.name for row in rows), pairs, free)


def _weight(row: Alike) -> tuple[bool, bool, int, str]:
    """Return a sort key: nodes with placed workloads, then stranded GPUs, then the most nodes."""
    lost = any(after.lacks is not None for _, after in row.gpus)
    return not row.changed, not lost, -len(row.names), row.names[0]


def _shares(states: dict[str, int], most: int) -> dict[str, int]:
    """Return how many rows of each group are shown: all, or an equal share of the space."""
    shown = dict.fromkeys(states, 0)
    room = most
    while room > 0:
        waiting = [name for name in states if shown[name] < states[name]]
        if not waiting:
            break
        share = max(1, room // len(waiting))
        for name in waiting[:room]:
            more = min(share, states[name] - shown[name])
            shown[name] += more
            room -= more
    return shown


def _rest(rows: Sequence[Alike]) -> Sum | None:
    return _sum(rows) if rows else None


def _sum(rows: Iterable[Alike]) -> Sum:
    nodes = states = total = used = lost = 0
    for row in rows:
        states += 1
        nodes += len(row.names)
        for _, after in row.gpus:
            total += 1000 * len(row.names)
            for tile in after.tiles:
                used += tile.milli * len(row.names) * (tile.who not in (IDLE, STRANDED))
                lost += tile.milli * len(row.names) * (tile.who == STRANDED)
    return Sum(nodes, states, total, used, lost)
