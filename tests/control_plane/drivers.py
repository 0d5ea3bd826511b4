"""What DRA drivers have on the nodes of a profile: the slices of pools whose GPUs they hand out, and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from tests.control_plane import slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.hardware import GpuModel
    from gpuspec.hardware.mig_profile import MigProfile
    from gpuspec.spec import Pool, Profile
    from tests.control_plane.client import Object

CHANNELS = "compute-domain.nvidia.com"
# As many channels as the driver lists on a node: one is handed out by default.
_CHANNEL = {"type": {"string": "channel"}, "id": {"int": 0}}


COMPUTE_DOMAINS: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "computedomains.resource.nvidia.com"},
    "spec": {
        "group": "resource.nvidia.com",
        "scope": "Namespaced",
        "names": {"kind": "ComputeDomain", "plural": "computedomains"},
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
"""Enough of the definition to create one: what its fields are is held to the driver's own by the schemas."""


def channels(domain: Object) -> Object:
    """The template that the driver's controller makes for a ComputeDomain."""
    asked = {"deviceClassName": "compute-domain-default-channel.nvidia.com"}
    metadata = domain["metadata"]
    return {
        "apiVersion": slices.API,
        "kind": "ResourceClaimTemplate",
        "metadata": {
            "name": domain["spec"]["channel"]["resourceClaimTemplate"]["name"],
            "namespace": metadata["namespace"],
        },
        "spec": {"spec": {"devices": {"requests": [{"name": "channel", "exactly": asked}]}}},
    }


def handed_out(profile: Profile, machines: list[Object]) -> Iterator[Object]:
    """The driver's classes, and a slice of each node; nothing where device plugins hand GPUs out."""
    pools = [pool for pool in profile.spec.pools if pool.gpu.dra or pool.compute_domains]
    if not pools:
        return
    yield from slices.classes()
    expression = (
        f"device.driver == '{CHANNELS}' && device.attributes['{CHANNELS}'].type == 'channel' && "
        f"device.attributes['{CHANNELS}'].id == 0"
    )
    yield slices.device_class("compute-domain-default-channel.nvidia.com", expression)
    for pool in pools:
        for machine in machines:
            name = machine["metadata"]["name"]
            if name.rpartition("-")[0] == pool.name:
                yield from _slices(pool, name)


def _slices(pool: Pool, node: str) -> Iterator[Object]:
    model, count = pool.gpu.model, pool.gpu.count
    if pool.compute_domains:
        channel = {"name": "channel-0", "attributes": _CHANNEL}
        yield from slices.pool(node, [{"devices": [channel]}], CHANNELS)
    if pool.gpu.dra is None:
        return
    if pool.sharing is None:
        yield from slices.whole(node, model, count)
        return
    layout = _placed(pool)
    yield from slices.divided(node, model, *([layout] * pool.shared_gpus + [[]] * pool.whole_gpus))


def _placed(pool: Pool) -> list[tuple[str, int]]:
    """A layout of one GPU: its partitions, the largest first, each behind the one before it."""
    assert pool.sharing is not None
    known = hardware.model(pool.gpu.model)
    wanted = [name for name, many in pool.sharing.profiles.items() for _ in range(many)]
    wanted.sort(key=lambda name: -_profile(known, name).memory_slices)
    found: list[tuple[str, int]] = []
    begin = 0
    for name in wanted:
        profile = _profile(known, name)
        place = next(one for one in profile.placements if one.start >= begin)
        found.append((name, place.start))
        begin = place.start + place.size
    return found


def _profile(model: GpuModel, name: str) -> MigProfile:
    found = model.profile(name)
    assert found is not None
    return found
