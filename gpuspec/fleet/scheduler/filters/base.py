"""The interface of a filter, and its refusal of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.snapshot import RunningPod


class NodeRejection(msgspec.Struct, frozen=True):
    """Why a node does not take a pod."""

    plugin: str
    """The scheduler's plugin that rejects it."""
    reasons: tuple[str, ...]
    """In the words of the newest scheduler."""
    resolvable: bool = False
    """Whether removing pods of the node may help."""
    taint: tuple[str, str] | None = None
    """Key and value of the taint that is not tolerated, which older versions name."""


class Filter(Protocol):
    """One filter that has been set up for a shape on a snapshot of a fleet."""

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """Return why a node does not take the pod, or None; `used` is what is used of it."""

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """Record that a pod was added to a node (1) or removed (-1)."""


class Still:
    """A filter that does not depend on other pods."""

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """Record that a pod was added to a node (1) or removed (-1)."""
