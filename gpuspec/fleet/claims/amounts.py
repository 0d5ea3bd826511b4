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
    other_amounts = list(others)
    if not (
        other_amounts
        or ask.capacity
        or any(capacity.policy for capacity in device.capacity.values())
    ):
        # Nearly always: it would be held against itself.
        return True
    for name, amount in consumed(ask, device).items():
        capacity = device.capacity[name]
        if capacity.policy is not None and not _allowed(amount, capacity.policy):
            return False
        if (
            amount + sum(amounts_taken.get(name, 0) for amounts_taken in other_amounts)
            > capacity.value
        ):
            return False
    return True


def consumed(ask: DeviceAlternative, device: SliceDevice) -> dict[str, Fraction]:
    """Return what a claim takes of each capacity of a device: its request, rounded by the device's
    policy."""
    return {
        name: _taken(ask.capacity.get(name), capacity) for name, capacity in device.capacity.items()
    }


def _taken(requested: Fraction | None, capacity: Capacity) -> Fraction:
    policy = capacity.policy
    if requested is None:
        return capacity.value if policy is None or policy.default is None else policy.default
    if policy is None:
        return requested
    if policy.least is not None:
        if requested < policy.least:
            return policy.least
        if not policy.step:
            return requested
        steps = -((policy.least - requested) // policy.step)
        return policy.least + policy.step * steps
    return next((value for value in policy.values if requested <= value), requested)


def _allowed(amount: Fraction, policy: CapacityPolicy) -> bool:
    if amount == policy.default:
        return True
    if policy.least is not None or policy.most is not None or policy.step is not None:
        if policy.most is not None and amount > policy.most:
            return False
        return not policy.step or (amount - (policy.least or 0)) % policy.step == 0
    return not policy.values or amount in policy.values
