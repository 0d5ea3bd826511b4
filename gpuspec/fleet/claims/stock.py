"""What the allocator asks of the devices of a fleet, and how it calls what claims ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping
    from fractions import Fraction

    from gpuspec.fleet.claims.features import Features
    from gpuspec.fleet.claims.model import Ask, Claim, Device, DeviceClass, DeviceId, Place
    from gpuspec.fleet.claims.pools import Pool
    from gpuspec.fleet.nodes.node import Node

_EFFECTS = ("NoSchedule", "NoExecute")


class Stock(Protocol):
    """Devices, and what of them is free."""

    features: Features
    classes: dict[str, DeviceClass]
    taken: Counter[DeviceId]
    shares: dict[DeviceId, list[Mapping[str, Fraction]]]

    def pools(self, node: Node) -> tuple[Pool, ...]:
        """The pools that a node can use."""

    def place(self, device: Device) -> Place:
        """Where a device can be used from."""

    def means(self, expression: str, device: Device) -> bool:
        """Whether an expression means a device."""

    def counters(self, pool: Pool) -> dict[tuple[str, str], Fraction]:
        """What is left of the counters of a pool."""


def tolerated(device: Device, ask: Ask) -> bool:
    """Whether a request tolerates all taints of a device that keep pods off."""
    return all(
        taint.effect not in _EFFECTS or any(one.tolerates(taint) for one in ask.tolerations)
        for taint in device.taints
    )


def called(claim: Claim) -> str:
    """Namespace and name of a claim; nobody knows yet what one from a template will be called."""
    return f"{claim.namespace}/{claim.name or '…'}"


def own(ask: Ask) -> str:
    """The name of a request, of an alternative its own."""
    return ask.name.rpartition("/")[2]
