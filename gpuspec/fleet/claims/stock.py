"""The interface of a fleet's devices for the allocator, and its names for requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping
    from fractions import Fraction

    from gpuspec.fleet.claims.features import Features
    from gpuspec.fleet.claims.model import (
        Claim,
        DeviceAlternative,
        DeviceClass,
        DeviceId,
        DeviceReach,
        SliceDevice,
    )
    from gpuspec.fleet.claims.pools import DevicePool
    from gpuspec.fleet.nodes.node import FleetNode

_EFFECTS = ("NoSchedule", "NoExecute")


class Stock(Protocol):
    """Devices, and their free amounts."""

    features: Features
    classes: dict[str, DeviceClass]
    taken: Counter[DeviceId]
    shares: dict[DeviceId, list[Mapping[str, Fraction]]]

    def pools(self, node: FleetNode) -> tuple[DevicePool, ...]:
        """Return the pools that a node can use."""

    def place(self, device: SliceDevice) -> DeviceReach:
        """Return the nodes that can use a device."""

    def means(self, expression: str, device: SliceDevice) -> bool:
        """Return whether an expression selects a device."""

    def counters(self, pool: DevicePool) -> dict[tuple[str, str], Fraction]:
        """Return the remaining counters of a pool."""


def tolerated(device: SliceDevice, ask: DeviceAlternative) -> bool:
    """Return whether a request tolerates all taints of a device that keep pods off."""
    return all(
        taint.effect not in _EFFECTS
        or any(toleration.tolerates(taint) for toleration in ask.tolerations)
        for taint in device.taints
    )


def called(claim: Claim) -> str:
    """Return namespace and name of a claim; a claim from a template has no name yet."""
    return f"{claim.namespace}/{claim.name or '…'}"


def own(ask: DeviceAlternative) -> str:
    """Return the name of a request; for an alternative, its own name."""
    return ask.name.rpartition("/")[2]
