"""Capacities of devices that several claims share, or that a request sets an amount of.

Source: k8s.io/dynamic-resource-allocation 1.37.2, structured/internal/incubating/consumable_capacity.go.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.claims.model import Capacity, CapacityPolicy, DeviceAlternative, SliceDevice


def enough(
    ask: DeviceAlternative, device: SliceDevice, others: Iterable[Mapping[str, Fraction]]
) -> bool:
    """Return whether a device has the requested amount of each capacity left."""
    if not ask.capacity.keys() <= device.capacity.keys():
        return False
    taken = list(others)
    if not (taken or ask.capacity or any(one.policy for one in device.capacity.values())):
        # Nearly always: it would be held against itself.
        return True
    for name, amount in consumed(ask, device).items():
        capacity = device.capacity[name]
        if capacity.policy is not None and not _allowed(amount, capacity.policy):
            return False
        if amount + sum(one.get(name, 0) for one in taken) > capacity.value:
            return False
    return True


def consumed(ask: DeviceAlternative, device: SliceDevice) -> dict[str, Fraction]:
    """Return what a claim takes of each capacity of a device: its request, rounded by the device's
    policy."""
    return {
        name: _taken(ask.capacity.get(name), capacity) for name, capacity in device.capacity.items()
    }


def _taken(asked: Fraction | None, capacity: Capacity) -> Fraction:
    policy = capacity.policy
    if asked is None:
        return capacity.value if policy is None or policy.default is None else policy.default
    if policy is None:
        return asked
    if policy.least is not None:
        if asked < policy.least:
            return policy.least
        if not policy.step:
            return asked
        steps = -((policy.least - asked) // policy.step)
        return policy.least + policy.step * steps
    return next((value for value in policy.values if asked <= value), asked)


def _allowed(amount: Fraction, policy: CapacityPolicy) -> bool:
    if amount == policy.default:
        return True
    if policy.least is not None or policy.most is not None or policy.step is not None:
        if policy.most is not None and amount > policy.most:
            return False
        return not policy.step or (amount - (policy.least or 0)) % policy.step == 0
    return not policy.values or amount in policy.values
