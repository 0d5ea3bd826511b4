"""The free resources of one node at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

PODS = "pods"
WHOLE = 1000


class State(msgspec.Struct, frozen=True):
    """The free resources of one node.

    Devices that are counted (whole GPUs, shares, MIG slices of a static layout) are in `idle` while
    no pod uses them; a GPU that is shared by thousandths is there with its free part. A node with
    slices of several sizes has several device resources.
    """

    kind: str
    """Equal for nodes that the same classes may run on: a model, a pool, a group."""
    free: Mapping[str, int]
    """By resource other than devices, in the units of `Node.allocatable`; `pods` are pod slots.

    A resource that is not named has nothing left, but for `pods`, which are then not counted.
    """
    idle: Mapping[str, tuple[int, ...]]
    """By device resource, thousandths of a GPU that each of its devices has left."""
    capacity: int = 0
    """Thousandths of its devices when all are idle."""

    @property
    def total(self) -> int:
        """Idle thousandths of GPUs."""
        return sum(map(sum, self.idle.values()))

    @property
    def whole(self) -> bool:
        """Whether it has devices and all of them are idle."""
        return 0 < self.capacity == self.total

    @property
    def largest(self) -> int:
        """GPUs that are idle as a whole and not partitioned: the most that one pod can have."""
        return max(
            (
                sum(idle_share == WHOLE for idle_share in idle_shares)
                for idle_shares in self.idle.values()
            ),
            default=0,
        )
