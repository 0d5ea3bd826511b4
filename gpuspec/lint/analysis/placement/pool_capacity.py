"""The number of pods of a shape that fit on the profile's pools."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gpuspec.hardware.hami import GPU
from gpuspec.lint.analysis.placement.nodes import node_bounds
from gpuspec.lint.analysis.placement.placing import reached
from gpuspec.objects.claims import claimed
from gpuspec.objects.hami import is_hami, pods_a_card, takes_whole

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod


class PoolCapacity(msgspec.Struct, frozen=True):
    """Slots of all pools that a pod can land on, by GPUs and host ports."""

    pools: tuple[str, ...]
    now: int | None
    """On the smallest number of nodes; None if the profile does not state it."""
    most: int | None
    """With all nodes that an autoscaler may add; None if the profile does not state it."""
    spare: int
    """Slots promised to rollouts."""
    one_a_node: bool = False
    """Whether two such pods never share a node, since they use the same host port."""
    whole_cards: bool = False
    """Whether HAMi, which could put several on one card, gives each a whole card, since it requests
    no part."""

    @property
    def grows(self) -> bool:
        """Whether an autoscaler may add nodes."""
        return self.most is not None and self.now is not None and self.most > self.now


def room(pod: Pod, context: Context) -> PoolCapacity | None:
    """Return the capacity for a pod; None without a profile, or if no pool accepts the pod.

    Taints, CPU and memory are ignored: the capacity is an upper bound, so a pod that does not fit
    here does not fit at all.
    """
    names = {
        device.name for gpu_container in pod.gpu_containers for device in gpu_container.devices
    }
    by_claim = not names and bool(pod.claims)
    gpus = pod.gpus
    if by_claim and context.cluster is not None:
        devices = claimed(pod, context.collection).devices
        names, gpus = set(devices), math.floor(sum(devices.values()))
    if context.cluster is None or gpus < 1 or len(names) != 1:
        return None
    from gpuspec.fleet import advertised
    from gpuspec.fleet.scheduler.ports import host_ports

    alone = bool(host_ports(pod.spec))
    resource = names.pop()
    shared = is_hami(pod)
    if shared and resource != GPU:
        return None
    pool_names: list[str] = []
    now: int | None = 0
    most: int | None = 0
    spare = 0
    for advertising_pool in reached(pod, context):
        if by_claim and not (
            advertising_pool.pool.claimed
            and resource in advertised(advertising_pool.pool, advertising_pool.model)
        ):
            continue
        pool_names.append(advertising_pool.pool.name)
        spare += advertising_pool.pool.spare
        cards = advertised(advertising_pool.pool, advertising_pool.model)[resource]
        if shared:
            cards *= pods_a_card(pod, advertising_pool.model)
        slots = cards // gpus
        slots = min(slots, 1) if alone else slots
        least, largest = node_bounds(advertising_pool.pool)
        now = None if now is None or least is None else now + least * slots
        most = None if most is None or largest is None else most + largest * slots
    whole = shared and takes_whole(pod)
    return PoolCapacity(tuple(pool_names), now, most, spare, alone, whole) if pool_names else None
