"""Constraints on the devices of one claim: attributes that must be equal, or distinct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.faults import Unjudged

if TYPE_CHECKING:
    from gpuspec.fleet.claims.model import (
        Attribute,
        ClaimConstraint,
        DeviceAlternative,
        SliceDevice,
    )


class Binding:
    """A constraint, with the attribute values of the devices allocated under it."""

    def __init__(self, constraint: ClaimConstraint) -> None:
        self._constraint = constraint
        self._values: list[Attribute] = []

    def add(self, ask: DeviceAlternative, device: SliceDevice) -> bool:
        """Return whether a device meets the constraint; if so, count it."""
        if not self._constraint.means(ask):
            return True
        value = device.attribute(self._constraint.attribute)
        if value is None and device.supposed:
            raise Unjudged(f"the {self._constraint.attribute} of devices is unknown")
        if value is None:
            return False
        if self._values:
            wrong = value in self._values if self._constraint.distinct else value != self._values[0]
            if wrong:
                return False
        self._values.append(value)
        return True

    def remove(self, ask: DeviceAlternative, device: SliceDevice) -> None:
        """Remove the device that was added last."""
        if self._constraint.means(ask):
            self._values.pop()
