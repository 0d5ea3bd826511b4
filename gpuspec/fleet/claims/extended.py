"""Shapes of pods with claimed devices: their claims, and the claims that the scheduler creates for
extended resources with a class.

Source: k8s.io/kubernetes 1.37.2, the scheduler's plugin DynamicResources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.claims.counting import asked
from gpuspec.fleet.claims.model import Claim, ClaimRequest, DeviceAlternative
from gpuspec.fleet.scheduler.reading import rows, table
from gpuspec.fleet.scheduler.requests import amount

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.scheduler.shape import Shape


def counted(shape: Shape, spec: Mapping[str, Any], devices: ClusterDevices) -> Shape:
    """Return a shape with the devices of its claims among its requests, and with the claim for its
    extended resources, if nodes have these for claims."""
    names = {
        name: standing_class
        for name in shape.requests
        if (standing_class := devices.standing_for(name))
    }
    if names:
        requests = {name: amount for name, amount in shape.requests.items() if name not in names}
        claim = _special(spec, names, shape.namespace)
        claims = (*shape.claims, claim) if claim.requests else shape.claims
        shape = msgspec.structs.replace(shape, requests=requests, claims=claims)
    backed_twice = sorted(devices.apart & shape.requests.keys())
    if backed_twice:
        why = f"some nodes have {backed_twice[0]} by a device plugin, others by claims"
        shape = msgspec.structs.replace(shape, unknown_devices=why)
    if not shape.claims:
        return shape
    shape = msgspec.structs.replace(shape, claims=tuple(map(devices.alike, shape.claims)))
    more = asked(devices, shape.claims)
    return msgspec.structs.replace(shape, requests={**shape.requests, **more}) if more else shape


def _special(spec: Mapping[str, Any], names: Mapping[str, str], namespace: str) -> Claim:
    """Return the claim for all extended resources of a pod, with a request for each container that
    uses one.

    An init container uses the devices of the main containers; of several, the one with the largest
    additional need counts.
    """
    first, rest = rows(spec.get("initContainers")), rows(spec.get("containers"))
    containers = [*first, *rest]
    brief = {
        at
        for at, init_container in enumerate(first)
        if init_container.get("restartPolicy") != "Always"
    }
    requests: list[ClaimRequest] = []
    for name, value in sorted(names.items()):
        lasting = {
            at: _count(container, name)
            for at, container in enumerate(containers)
            if at not in brief
        }
        most = 0, ""
        for at in sorted(brief):
            want = _count(containers[at], name)
            have = sum(amount for other_index, amount in lasting.items() if other_index > at)
            if want > have and want - have > most[0]:
                most = want - have, _called(at, containers[at], name)
        init_requests = [
            (count, _called(at, containers[at], name)) for at, count in lasting.items()
        ]
        for count, called in (most, *init_requests):
            if count:
                ask = DeviceAlternative(called, value, count=count)
                requests.append(ClaimRequest(called, (ask,), alternatives=False))
    return Claim(namespace, "", tuple(sorted(requests, key=lambda request: request.name)))


def _count(container: Mapping[str, Any], name: str) -> int:
    resources = table(container.get("resources"))
    quantity = table(resources.get("requests")).get(name)
    if quantity is None:
        quantity = table(resources.get("limits")).get(name)
    return amount(name, quantity) or 0


def _called(at: int, container: Mapping[str, Any], name: str) -> str:
    resources = table(container.get("resources"))
    asks = sorted({*table(resources.get("requests")), *table(resources.get("limits"))})
    return f"container-{at}-request-{asks.index(name)}"
