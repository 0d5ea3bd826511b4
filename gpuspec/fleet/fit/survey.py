"""A fleet as it is, before anything is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fit.classes import GIVEN_MIX, NO_MIX, classes, shares, unmeant
from gpuspec.fleet.fit.order import read_labels
from gpuspec.fleet.fit.result import FleetReport
from gpuspec.fleet.fit.rows import rows
from gpuspec.fleet.fit.sight import Sight
from gpuspec.fleet.scheduler.board import Board

if TYPE_CHECKING:
    from gpuspec.fleet.fit.order import Order
    from gpuspec.fleet.scheduler.snapshot import Snapshot


def survey(snapshot: Snapshot, order: Order) -> FleetReport:
    """A fleet as it is."""
    board = Board(snapshot.copy(), read_labels(snapshot, order.mix or ()))
    sight = Sight(board, classes(order.mix or (), board))
    groups: dict[str, list[int]] = {}
    for at, node in enumerate(snapshot.nodes):
        if node.gpus is not None:
            groups.setdefault(node.group, []).append(at)
    state = board.counts
    return FleetReport(
        fleet=order.fleet,
        figures=sight.figures(),
        groups={name: sight.figures(nodes) for name, nodes in groups.items()},
        rows=rows(sight),
        classes=shares(sight, state, state),
        mix=GIVEN_MIX if order.mix is not None else NO_MIX,
        notes=(*order.notes, *unmeant(sight, given=order.mix is not None)),
    )
