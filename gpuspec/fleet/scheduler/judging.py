"""Why nodes do not take a pod, found block by block where a node's state alone tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.blocks import freest, states
from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.verdict import Pile, Verdict, feasible

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.blocks import Block
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
    piles: dict[tuple[str, Refusal], Pile] = {}
    where: dict[tuple[str, Refusal], list[tuple[Block, set[int]]]] = {}
    left = list(board.blocks.makes.values())
    while left:
        block = left.pop()
        node = nodes[board.kinds[next(iter(block.kinds))]]
        full = resources.check(0, node, block.low)
        if not block.even and full != resources.check(0, node, block.high):
            left += block.inside.values()
            continue
        said = {kind: _said(empty[kind], full) for kind in block.kinds}
        first = dict.fromkeys(said, len(nodes))
        for each in states(block):
            kind = board.kind[each.nodes[0]]
            first[kind] = min(first[kind], each.nodes[0])
            for index in each.nodes:
                found[index] = said[kind]
        for kind, refusal in said.items():
            if refusal is not None:
                key = nodes[board.kinds[kind]].group, refusal
                pile = piles.setdefault(key, Pile(*key, 0, first[kind], {}, {}))
                pile.nodes += block.kinds[kind]
                pile.first = min(pile.first, first[kind])
                blocks = where.setdefault(key, [])
                if not blocks or blocks[-1][0] is not block:
                    blocks.append((block, set()))
                blocks[-1][1].add(kind)
    for key, pile in piles.items():
        for name in sieve.shape.requests:
            pile.have[name] = max(block.have.get(name, 0) for block, _ in where[key])
            pile.free[name] = freest(where[key], name)
    taking = tuple(index for index, refusal in enumerate(found) if refusal is None)
    refusals = {index: refusal for index, refusal in enumerate(found) if refusal is not None}
    return Verdict(sieve.shape, len(nodes), taking, refusals, known=tuple(piles.values()))


def _said(other: Refusal | None, full: Refusal | None) -> Refusal | None:
    """What is asked first of two: what speaks against a node for its room, and what does besides."""
    sooner = other is not None and other.plugin in _SOONER
    return other if sooner else full or other
