"""The idle GPUs of a node that one class of work can use, and those that it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fragments.state import PODS

if TYPE_CHECKING:
    from gpuspec.fleet.fragments.classes import Class
    from gpuspec.fleet.fragments.state import State


def fragment(state: State, size_class: Class) -> int:
    """Return idle thousandths of GPUs that the class cannot use.

    All of them if not even one pod fits (by kind of node, devices, host resources); else those of
    other devices and of GPUs with less left than a pod takes.
    """
    return state.total - usable(state, size_class)


def usable(state: State, size_class: Class) -> int:
    """Return the other part: idle thousandths on devices that a pod of the class could get."""
    if not size_class.count or (
        size_class.kinds is not None and state.kind not in size_class.kinds
    ):
        return 0
    free = state.free
    if free.get(PODS, 1) < 1 or any(
        free.get(n, 0) < amount for n, amount in size_class.requests.items()
    ):
        return 0
    enough = [
        idle_share
        for idle_share in state.idle.get(size_class.device, ())
        if idle_share >= size_class.least
    ]
    return sum(enough) if len(enough) >= size_class.count else 0
