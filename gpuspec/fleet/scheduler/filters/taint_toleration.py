"""TaintToleration: taints that the pod does not tolerate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still
from gpuspec.fleet.scheduler.tolerations import Toleration, untolerated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

REASON = "node(s) had untolerated taint(s)"
EFFECTS = ("NoSchedule", "NoExecute")


def prepare(shape: Shape, snapshot: Snapshot) -> TaintToleration:
    """Return the filter."""
    return TaintToleration(shape.tolerations)


class TaintToleration(Still):
    """Rejects nodes for the first taint that is not tolerated, unless it only discourages."""

    def __init__(self, tolerations: tuple[Toleration, ...]) -> None:
        self._tolerations = tolerations
        self._known: dict[tuple[str, str], NodeRejection] = {}

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        if not node.taints:
            return None
        taint = untolerated(self._tolerations, node.taints, EFFECTS)
        if taint is None:
            return None
        key = (taint.key, taint.value)
        if key not in self._known:
            self._known[key] = NodeRejection("TaintToleration", (REASON,), taint=key)
        return self._known[key]
