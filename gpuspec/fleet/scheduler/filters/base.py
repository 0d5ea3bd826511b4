"""What a filter is, and what it says of a node that it rejects."""

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
    """In the scheduler's words of its newest version."""
    resolvable: bool = False
    """Whether it may be another once pods of the node are gone."""
    taint: tuple[str, str] | None = None
    """Key and value of the taint that is not tolerated, which older versions name."""


class Filter(Protocol):
    """One filter that has been set up for a shape on a snapshot of a fleet."""

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """Return why a node does not take the pod, or None; `used` is what is used of it."""

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """Note that a pod came to a node (1) or left it (-1)."""


class Still:
    """A filter to which the other pods make no difference."""

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """Note that a pod came to a node (1) or left it (-1)."""
