"""How many pods of a template HAMi places on one GPU.

Source: HAMi 2.10, pkg/device/nvidia/device.go (GenerateResourceRequests, Fit): memory in MiB or in
percent, cores in percent; a pod that requests no memory gets all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.hardware.hami import HAMI, HAMI_MEMORY, MOST_PODS

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel
    from gpuspec.objects.objects import Pod

SCHEDULER = "hami-scheduler"
_MIB = 2**20


def is_hami(pod: Pod) -> bool:
    """Return whether HAMi places a pod: the pod names HAMi's scheduler, or a resource that only
    HAMi allocates."""
    return pod.spec.get("schedulerName") == SCHEDULER or any(_asks(pod, name) for name in HAMI)


def takes_whole(pod: Pod) -> bool:
    """Return whether a pod requests no share of a card's memory, and so gets all of it."""
    return not any(_asks(pod, name) for name in HAMI_MEMORY)


def is_share(pod: Pod) -> bool:
    """Return whether HAMi gives a pod only a share of each card."""
    return is_hami(pod) and not takes_whole(pod)


def pods_a_card(pod: Pod, model: GpuModel) -> int:
    """Return how many such pods fit on one card of a model; of several containers, the largest
    share counts."""
    megabytes, percent = (_asks(pod, name) for name in HAMI_MEMORY)
    if megabytes:
        room = model.memory // _MIB // megabytes
    else:
        room = 100 // percent if percent and percent <= 100 else 1
    cores = _asks(pod, HAMI[-1])
    return min(room, 100 // min(cores, 100) if cores else MOST_PODS, MOST_PODS)


def _asks(pod: Pod, name: str) -> int:
    """Return the largest request of a resource among a pod's containers, as an integer."""
    amounts = [
        quantity.value
        for container in pod.every
        if (quantity := container.amount(name)) is not None
    ]
    return max((amount.numerator // amount.denominator for amount in amounts), default=0)
