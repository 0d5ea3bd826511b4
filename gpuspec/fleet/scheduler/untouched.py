"""The nodes of one class that no pod of a shape has come to, by score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.blocks import Ranking
from gpuspec.fleet.scheduler.board import fits
from gpuspec.fleet.scheduler.requests import PODS
from gpuspec.fleet.scheduler.scoring import scorer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gpuspec.fleet.scheduler.blocks import Block
    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape


class Worth:
    """What a node in a block scores for a shape at most; None where none there has room.

    Remembers it while nodes stay where they are.
    """

    def __init__(self, shape: Shape, policy: Policy) -> None:
        self._asked = ((PODS, 1), *shape.requests.items())
        self._score = scorer(policy, shape.requests)
        self._known: dict[Block, int | None] = {}

    def __call__(self, block: Block) -> int | None:
        """See above."""
        try:
            return self._known[block]
        except KeyError:
            found = self._known[block] = self._of(block)
            return found

    def forget(self) -> None:
        """A node moved."""
        self._known.clear()

    def _of(self, block: Block) -> int | None:
        free = block.free
        for name, amount in self._asked:
            if amount > free.get(name, 0):
                return None
        return self._score(block.have, block.low, block.high)


class Untouched:
    """Nodes by score, those of one state after each other, as far as they are asked for."""

    def __init__(
        self,
        board: Board,
        shape: Shape,
        blocks: Iterable[tuple[int, Block]],
        worth: Worth,
        kinds: frozenset[int],
        gone: Collection[int],
        others: Collection[int] | None,
    ) -> None:
        """`blocks`: see `Ranking`. `gone`: those that pods have come to since. `others`: those that are of another class
        from the beginning, None where none can be; where some can, nodes of all states stand in
        their order."""
        self._board = board
        self._shape = shape
        self._kinds = kinds
        self._gone = gone
        self._others = others
        self._ranking = Ranking(blocks, kinds, worth)

    @property
    def most(self) -> int | None:
        """See `First`."""
        return self._ranking.most

    def next(self) -> tuple[int, list[int]] | None:
        """See `First`."""
        found = self._ranking.next()
        if found is None:
            return None
        value, states = found
        groups = [nodes for each in states if (nodes := self._left(each.nodes))]
        if len(groups) == 1:
            return value, groups[0]
        groups.sort(key=lambda nodes: nodes[0])
        nodes = [index for each in groups for index in each]
        return value, nodes if self._others is None else sorted(nodes)

    def first(self) -> int:
        """The first node that was there in the beginning."""
        board, asked, others = self._board, self._shape.requests, self._others or ()
        found = len(board.state)
        # Kinds are numbered by their first nodes.
        for kind in sorted(self._kinds):
            if board.kinds[kind] >= found:
                break
            have = board.snapshot.nodes[board.kinds[kind]].allocatable
            if not fits(asked, have, {}):
                continue
            for index in board.members[kind]:
                if index >= found:
                    break
                if index in others:
                    continue
                if index in self._gone or fits(asked, have, board.used(board.state[index])):
                    found = index
                    break
        return found

    def _left(self, nodes: list[int]) -> list[int]:
        if not (self._gone or self._others):
            return list(nodes)
        others = self._others or ()
        return [index for index in nodes if index not in self._gone and index not in others]
