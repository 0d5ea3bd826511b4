"""How many pods of a shape the profile's pools have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.subjects.placement.nodes import node_bounds
from gpuspec.lint.subjects.placement.placing import reached
from gpuspec.objects.amounts import resources

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod

_HAMI = "hami-scheduler"
_PARTS = {"nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"}


class Room(msgspec.Struct, frozen=True):
    """Slots of all pools that a pod may land on, together; GPUs and ports of the host are counted."""

    pools: tuple[str, ...]
    now: int | None
    """On the nodes that are there at least; None where the profile does not say how many."""
    most: int | None
    """With all nodes that an autoscaler may add; None where the profile does not say."""
    spare: int
    """Promised to rollouts."""
    one_a_node: bool = False
    """Two of them never share a node, since they take the same port of the host."""

    @property
    def grows(self) -> bool:
        """Whether an autoscaler may add nodes."""
        return self.most is not None and self.now is not None and self.most > self.now


def room(pod: Pod, context: Context) -> Room | None:
    """Room for a pod; None without a profile, or where none of its pools takes the pod.

    Taints, CPU and memory are not asked about: too much room rather than too little, so that what
    does not fit here does not fit.
    """
    names = {device.name for one in pod.gpu_containers for device in one.devices}
    if context.cluster is None or pod.gpus < 1 or len(names) != 1 or _is_split(pod):
        return None
    from gpuspec.fleet import advertised
    from gpuspec.fleet.scheduler.ports import host_ports

    alone = bool(host_ports(pod.spec))
    resource = names.pop()
    found: list[str] = []
    now: int | None = 0
    most: int | None = 0
    spare = 0
    for one in reached(pod, context):
        found.append(one.pool.name)
        spare += one.pool.spare
        slots = advertised(one.pool, one.model)[resource] // pod.gpus
        slots = min(slots, 1) if alone else slots
        least, largest = node_bounds(one.pool)
        now = None if now is None or least is None else now + least * slots
        most = None if most is None or largest is None else most + largest * slots
    return Room(tuple(found), now, most, spare, alone) if found else None


def _is_split(pod: Pod) -> bool:
    """Whether HAMi places it, which puts several pods on one GPU whatever the profile says."""
    return pod.spec.get("schedulerName") == _HAMI or not _PARTS.isdisjoint(resources(pod))
