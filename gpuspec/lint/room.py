"""How many pods of a shape the profile's pools have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.lint.pods import Pod
    from gpuspec.spec import Pool


class Room(msgspec.Struct, frozen=True):
    """Slots of all pools that a pod may land on, together; GPUs alone are counted."""

    pools: tuple[str, ...]
    now: int | None
    """On the nodes that are there at least; None where the profile does not say how many."""
    most: int | None
    """With all nodes that an autoscaler may add; None where the profile does not say."""
    spare: int
    """Promised to rollouts."""

    @property
    def grows(self) -> bool:
        """Whether an autoscaler may add nodes."""
        return self.most is not None and self.now is not None and self.most > self.now


def room(pod: Pod, context: Context) -> Room | None:
    """Room for a pod; None without a profile, or where none of its pools takes the pod.

    Taints, CPU and memory are not asked about: too much room rather than too little, so that what
    does not fit here does not fit.
    """
    cluster = context.cluster
    names = {device.name for one in pod.gpu_containers for device in one.devices}
    if cluster is None or pod.gpus < 1 or len(names) != 1:
        return None
    from gpuspec import hardware
    from gpuspec.fleet import advertised, pool_labels, selects

    resource = names.pop()
    found: list[str] = []
    now: int | None = 0
    most: int | None = 0
    spare = 0
    for pool in cluster.pools:
        model = hardware.find(pool.gpu.model)[0]
        each = advertised(pool, model).get(resource, 0)
        if not each or not selects(pod.spec, pool_labels(pool, model, cluster.provider)):
            continue
        found.append(pool.name)
        spare += pool.spare
        slots = each // pod.gpus
        least, largest = _nodes(pool)
        now = None if now is None or least is None else now + least * slots
        most = None if most is None or largest is None else most + largest * slots
    return Room(tuple(found), now, most, spare) if found else None


def _nodes(pool: Pool) -> tuple[int | None, int | None]:
    """Fewest and most nodes of a pool."""
    if pool.nodes is None or isinstance(pool.nodes, int):
        return pool.nodes, pool.nodes
    return pool.nodes.min, pool.nodes.max
