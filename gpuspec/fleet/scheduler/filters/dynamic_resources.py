"""DynamicResources: the devices that a pod's claims request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.devices import HOLDERS
from gpuspec.fleet.claims.faults import Failed, Invalid
from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.claims.model import Claim
    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

PLUGIN = "DynamicResources"
_LACKING = NodeRejection(PLUGIN, ("cannot allocate all claims",))
_INVALID = NodeRejection(PLUGIN, ("invalid resource pools were encountered",))
ELSEWHERE = NodeRejection(PLUGIN, ("resourceclaim not available on the node",))


def prepare(shape: Shape, snapshot: Snapshot) -> DynamicResources | None:
    """Return the filter, if the pod has claims and devices are known."""
    if not shape.claims or snapshot.devices is None:
        return None
    return DynamicResources(shape.claims, snapshot.devices)


def conflict(shape: Shape, devices: ClusterDevices | None) -> str | None:
    """Return the scheduler's message if a pod's claims exclude all nodes."""
    if devices is None:
        return None
    for claim in shape.claims:
        if claim.going:
            return f'resourceclaim "{claim.name}" is being deleted'
    for claim in devices.wanted(shape.claims):
        for request in claim.requests:
            for ask in request.asks:
                if ask.device_class not in devices.classes:
                    return f"request {ask.name}: device class {ask.device_class} does not exist"
    return None


class DynamicResources(Still):
    """Rejects nodes that have too few devices, and those where a claim's devices cannot be used.

    No removal of pods helps: their claims stay until they are gone.
    """

    def __init__(self, claims: tuple[Claim, ...], devices: ClusterDevices) -> None:
        self._claims = claims
        self._devices = devices

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`. Raises `Failed` where the scheduler gives up on the pod, and `Unjudged`."""
        devices = self._devices
        allocations = [devices.allocation(claim) for claim in self._claims]
        claims = tuple(
            claim
            for claim, allocation in zip(self._claims, allocations, strict=True)
            if allocation is None
        )
        try:
            if claims and devices.offer(node, claims) is None:
                return _LACKING
        except Invalid:
            return _INVALID
        if not all(
            allocation is None or allocation.met(node.name, node.labels)
            for allocation in allocations
        ):
            return ELSEWHERE
        for claim in self._claims:
            holder = devices.holders.get((claim.namespace, claim.name), ())
            if claim.name and len(holder) >= HOLDERS:
                raise Failed(_full(claim))
        for claim, allocation in zip(self._claims, allocations, strict=True):
            if allocation is not None and not allocation.timed and devices.features.conditions:
                raise Failed(_untimed(claim))
        return None


def _untimed(claim: Claim) -> str:
    """Return the message about a claim that an older scheduler allocated: the time of allocation
    cannot be added later.

    Observed with kube-scheduler 1.36 and 1.37, which add it together with the reservation.
    """
    return (
        f'running PreBind plugin "{PLUGIN}": add reservation to claim {claim.namespace}/{claim.name}: '
        "a scheduler before 1.36 allocated it, without allocationTimestamp, which cannot be added"
    )


def _full(claim: Claim) -> str:
    """Return the message about a claim that is reserved for the maximum number of pods."""
    return (
        f'running PreBind plugin "{PLUGIN}": add reservation to claim {claim.namespace}/{claim.name}: '
        f'ResourceClaim.resource.k8s.io "{claim.name}" is invalid: status.reservedFor: Too many: '
        f"{HOLDERS + 1}: must have at most {HOLDERS} items"
    )
