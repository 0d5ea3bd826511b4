"""The nodes of one class without a pod of a shape, by score."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.makes import within
from gpuspec.fleet.scheduler.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.worth import Worth


class UntouchedNodes:
    """Nodes by score, those of one state together, read lazily."""

    def __init__(
        self,
        node_states: NodeStates,
        blocks: Iterable[tuple[int, NodeBlock]],
        worth: Worth,
        kinds: frozenset[int],
        gone: Collection[int],
        others: Collection[int] | None,
    ) -> None:
        """Set up the ranking.

        `blocks`: see `Ranking`. `gone`: nodes that got pods since. `others`: nodes of another class
        from the beginning, None if there can be none; with some, nodes of all states keep their
        order.
        """
        self._node_states = node_states
        self._worth = worth
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
        ranked = self._ranking.next()
        if ranked is None:
            return None
        value, states = ranked
        groups = [nodes for state in states if (nodes := self._left(state.nodes))]
        if len(groups) == 1:
            return value, groups[0]
        groups.sort(key=lambda nodes: nodes[0])
        nodes = list(chain.from_iterable(groups))
        return value, nodes if self._others is None else sorted(nodes)

    def first(self) -> int:
        """Return the first node that was there in the beginning."""
        node_states, others = self._node_states, self._others or ()
        first_index = len(node_states.state)
        # Kinds are numbered by their first nodes.
        for kind in sorted(self._kinds):
            if node_states.kinds[kind] >= first_index:
                break
            limits = self._worth.limits(node_states.makes[kind])
            if limits is None:
                continue
            for index in node_states.members[kind]:
                if index >= first_index:
                    break
                if index in others:
                    continue
                if index in self._gone or within(
                    limits, node_states.amounts(node_states.state[index])
                ):
                    first_index = index
                    break
        return first_index

    def _left(self, nodes: list[int]) -> list[int]:
        if not (self._gone or self._others):
            return list(nodes)
        others = self._others or ()
        return [index for index in nodes if index not in self._gone and index not in others]
