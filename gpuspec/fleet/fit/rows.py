"""The fleet as a picture shows it: every node a row of GPUs, and what lies on each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fit.result import Cell, Part, Row
from gpuspec.fleet.fit.sight import working
from gpuspec.fleet.nodes.pools import UNTOLD_DISK as UNTOLD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.fleet.fit.sight import Sight
    from gpuspec.fleet.nodes import Node, Piece
    from gpuspec.fleet.scheduler.snapshot import Placed

_LEAST = 1
"""A part that is smaller than a thousandth is drawn as one."""


def rows(sight: Sight) -> tuple[Row, ...]:
    """The nodes with GPUs.

    Which of a node's devices a pod has is not the scheduler's to say: they are given out in their
    order, first to the pods that came first.
    """
    shown: list[Row] = []
    known: dict[tuple[int, tuple[Placed, ...]], tuple[Cell, ...]] = {}
    frees: dict[int, dict[str, int]] = {}
    board = sight.board
    for at, node in enumerate(board.snapshot.nodes):
        if node.gpus is None:
            continue
        state = board.state[at]
        if state not in frees:
            used = board.used(state)
            have = _told(node)
            frees[state] = {name: max(0, have[name] - used.get(name, 0)) for name in have}
        holding = tuple(one for one in board.snapshot.pods[at] if not one.daemon)
        cells = known.get((state, holding))
        if cells is None:
            cells = known[state, holding] = _cells(sight, state, node, holding)
        shown.append(Row(node.name, node.group, cells, frees[state], _told(node)))
    return tuple(shown)


def _told(node: Node) -> Mapping[str, int]:
    """What a node has, but for what stands for no bound: that is no figure to show."""
    have = node.allocatable
    if all(amount < UNTOLD for amount in have.values()):
        return have
    return {name: amount for name, amount in have.items() if amount < UNTOLD}


def _cells(sight: Sight, state: int, node: Node, pods: Sequence[Placed]) -> tuple[Cell, ...]:
    gpus = node.gpus
    assert gpus is not None
    strands = {(one.device, one.left): one.resource or "" for one in sight.strands(state)}
    parts: list[list[Part]] = [[] for _ in range(gpus.count)]
    lost: list[str | None] = [None] * gpus.count
    for name, pieces in working(gpus, node.allocatable).items():
        taken = _taken(name, pods, len(pieces))
        for piece, owner in zip(pieces, taken, strict=True):
            lacks = strands.get((name, piece.milli)) if owner is None else None
            parts[piece.gpu].append(_part(piece, owner, lacks is not None))
            lost[piece.gpu] = lost[piece.gpu] or lacks
    return tuple(
        Cell(tuple(sorted(each, key=lambda part: part.start or 0)), reason)
        for each, reason in zip(parts, lost, strict=True)
    )


def _taken(name: str, pods: Sequence[Placed], devices: int) -> list[Placed | None]:
    """Who has each device of a resource."""
    found: list[Placed | None] = []
    for placed in pods:
        found += [placed] * placed.shape.requests.get(name, 0)
    return [*found, *([None] * devices)][:devices]


def _part(piece: Piece, owner: Placed | None, stranded: bool) -> Part:
    milli = max(_LEAST, piece.milli)
    if owner is None:
        return Part(milli, None, True, "", piece.start, piece.slices, stranded)
    return Part(milli, owner.workload, False, owner.name, piece.start, piece.slices)
