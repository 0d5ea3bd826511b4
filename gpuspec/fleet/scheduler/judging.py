"""Why nodes do not take a pod, found block by block where a node's state alone tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.blocks import states
from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.verdict import Verdict, feasible

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.filters.base import Refusal
    from gpuspec.fleet.scheduler.sieve import Sieve

_SOONER = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
"""The plugins that are asked before `NodeResourcesFit`."""


def judged(board: Board, sieve: Sieve) -> Verdict:
    """What the filters say of a pod on a board: as `feasible`."""
    if sieve.conflict is not None or not sieve.alone:
        return feasible(sieve.shape, board.snapshot, sieve)
    nodes = board.snapshot.nodes
    resources = NodeResources(sieve.shape.requests)
    # Room aside, nodes of one kind are refused for the same.
    empty = [sieve.refusal(first, {}) for first in board.kinds]
    found: list[Refusal | None] = [None] * len(nodes)
    left = list(board.blocks.makes.values())
    while left:
        block = left.pop()
        node = nodes[board.kinds[next(iter(block.kinds))]]
        full = resources.check(0, node, block.low)
        if not block.even and full != resources.check(0, node, block.high):
            left += block.inside.values()
            continue
        for each in states(block):
            other = empty[board.kind[each.nodes[0]]]
            sooner = other is not None and other.plugin in _SOONER
            for index in each.nodes:
                found[index] = other if sooner else full or other
    taking = tuple(index for index, refusal in enumerate(found) if refusal is None)
    refusals = {index: refusal for index, refusal in enumerate(found) if refusal is not None}
    return Verdict(sieve.shape, len(nodes), taking, refusals)
