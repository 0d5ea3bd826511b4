"""The rank of the alternatives that a node would allocate to a pod's claims.

Source: Kubernetes 1.35 and 1.37, the scoring of the scheduler's plugin DynamicResources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.faults import Failed, Invalid, Unjudged

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

_MOST = 8
"""Alternatives of a request at most."""


class Sooner:
    """The rank of nodes; zero if no claim of the pod has alternatives."""

    def __init__(self, shape: Shape, snapshot: Snapshot) -> None:
        self._claims = shape.claims
        self._snapshot = snapshot
        self._places = {
            ask.name: _MOST - place
            for claim in shape.claims
            for request in claim.requests
            for place, ask in enumerate(request.asks)
            if request.alternatives
        }

    def __bool__(self) -> bool:
        return bool(self._places) and self._snapshot.devices is not None

    def rank(self, index: int) -> int:
        """Return a higher value for a node that allocates earlier alternatives; 0 if it allocates
        none."""
        devices, node = self._snapshot.devices, self._snapshot.nodes[index]
        if devices is None:
            return 0
        claims = devices.wanted(self._claims)
        try:
            offered = devices.offer(node, claims) if claims else ()
        except (Failed, Invalid, Unjudged):
            return 0
        names = ({device.ask for device in allocation.taken} for allocation in offered or ())
        return sum(self._places.get(name, 0) for device_name in names for name in device_name)
