"""The nodes of a profile's pools, one by one."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.fleet.advertised import advertised, fabric_devices
from gpuspec.fleet.labels import ZONE, pool_labels
from gpuspec.fleet.nodes.layout import gpus
from gpuspec.fleet.nodes.node import HOSTNAME, FleetNode
from gpuspec.fleet.slots import assumed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool, Profile

# The profile tells of these by `zones`, and nodes of today have but the one spelling of it.
_PAST = ("beta.kubernetes.io/", "failure-domain.beta.kubernetes.io/")
UNTOLD_DISK = 1 << 50
"""Bytes of local disk if unknown: no limit."""


def pool_nodes(profile: Profile, counts: dict[str, int]) -> list[FleetNode]:
    """Return this number of nodes for each pool of a profile.

    They have the profile's allocatable amounts, advertised devices, labels and taints; zones
    alternate, and the nodes of one zone are consecutive in the lower levels of a topology.
    """
    nodes: list[FleetNode] = []
    for pool in profile.spec.pools:
        nodes += _nodes(profile, pool, counts[pool.name])
    return nodes


def _nodes(profile: Profile, pool: Pool, count: int) -> Iterator[FleetNode]:
    from gpuspec.spec import model_of

    model = model_of(pool)
    labels = _labels(profile, pool, model)
    have = allocatable(pool, model)
    inside = gpus(model, pool.gpu.count, pool.gpu.resource, pool.sharing)
    width = len(str(count - 1))
    for number, zone in zip(range(count), cycle(pool.zones or ("",)), strict=False):
        name = f"{pool.name}-{number:0{width}}"
        # A pool of a single node may say what it is called.
        node_labels = {HOSTNAME: pool.labels.get(HOSTNAME, name)} | (
            {ZONE[0]: zone} if zone else {}
        )
        node_labels |= _node_pool(pool, number)
        yield FleetNode(name, labels | node_labels, have, pool.taints, gpus=inside, group=pool.name)


def _node_pool(pool: Pool, number: int) -> dict[str, str]:
    """Return the label that distinguishes the slices of a pool, if each has several hosts."""
    from gpuspec.spec import slice_of
    from gpuspec.spec.rules.slices import NODE_POOL

    tpu_slice = slice_of(pool)
    if tpu_slice is None or tpu_slice.hosts == 1 or NODE_POOL in pool.labels:
        return {}
    return {NODE_POOL: f"{pool.name}-{number // tpu_slice.hosts}"}


def _labels(profile: Profile, pool: Pool, model: GpuModel) -> dict[str, str]:
    """Return the labels that are sure, and those of the daemon that names the model.

    Rendered pods select by that daemon's label, and the profile states that it runs.
    """
    provider = profile.spec.provider
    labeller = hardware.naming_labeller(provider, model)
    domain = str(labeller.product).partition("/")[0]
    runs = not hardware.is_provider_labeller(provider, labeller)
    labels: dict[str, str] = {}
    for key, values in pool_labels(pool, model, provider).values.items():
        discovered = runs and key.partition("/")[0] == domain
        sure = discovered or None not in values
        if values[0] is not None and sure and not key.startswith(_PAST):
            labels[key] = values[0]
    return labels


def allocatable(pool: Pool, model: GpuModel) -> dict[str, int]:
    """Return allocatable of one node, including what DaemonSets use."""
    have = pool.allocatable
    amounts = {"cpu": 0, "memory": 0, "ephemeral-storage": UNTOLD_DISK, "pods": 110}
    if have is not None:
        amounts |= {"cpu": have.cpu.milli_value, "memory": have.memory.int_value, "pods": have.pods}
        if have.ephemeral_storage is not None:
            amounts["ephemeral-storage"] = have.ephemeral_storage.int_value
    elif (node := assumed(pool, model)) is not None:
        amounts |= {"cpu": node.cpu, "memory": node.memory}
    other_resources = pool.other_resources
    return (
        amounts
        | advertised(pool, model)
        | fabric_devices(pool)
        | _hugepages(pool)
        | other_resources
    )


def _hugepages(pool: Pool) -> dict[str, int]:
    hugepage_sources = (pool.gpu.hugepages, None if pool.rdma is None else pool.rdma.hugepages)
    total = sum(pages.int_value for pages in hugepage_sources if pages is not None)
    return {"hugepages-2Mi": total} if total else {}
