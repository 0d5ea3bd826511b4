"""NodeResourcesFit: the free amount of each resource, and free pod slots."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gpuspec.fleet.claims.counting import PREFIX
from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still
from gpuspec.fleet.scheduler.requests import CPU, DISK, MEMORY, PODS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

TOO_MANY = "Too many pods"
_FIRST = (CPU, MEMORY, DISK)


def prepare(shape: Shape, snapshot: Snapshot) -> NodeResources:
    """Return the filter."""
    return NodeResources(shape.requests)


class NodeResources(Still):
    """Rejects nodes for all resources of which too little is free.

    If even the empty node has too little, removing pods does not help.
    """

    def __init__(self, requests: Mapping[str, int]) -> None:
        first = [(name, requests[name]) for name in _FIRST if name in requests]
        rest = sorted(
            (name, amount)
            for name, amount in requests.items()
            # Whether there are devices is for claims to say.
            if name not in _FIRST and not name.startswith(PREFIX)
        )
        self._asked = (*first, *rest)

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        have = node.allocatable
        lacking: list[str] | None = None
        for name, amount in self._asked:
            if amount > have.get(name, 0) - used.get(name, 0):
                lacking = [*(lacking or ()), name]
        full = used.get(PODS, 0) + 1 > have.get(PODS, 0)
        if lacking is None:
            return _refusal(full, (), True) if full else None
        asked_of = dict(self._asked)
        never = any(asked_of[name] > have.get(name, 0) for name in lacking)
        return _refusal(full, tuple(lacking), not never)


@lru_cache(4096)
def _refusal(full: bool, lacking: tuple[str, ...], resolvable: bool) -> NodeRejection:
    reasons = (*((TOO_MANY,) if full else ()), *(f"Insufficient {name}" for name in lacking))
    return NodeRejection("NodeResourcesFit", reasons, resolvable)
