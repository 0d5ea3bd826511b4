"""Simulated nodes: Ready Node objects made from a cluster profile.

They have what the profile says of its pools: allocatable, extended resources as the device plugin
counts them, labels, taints, zones, and the levels of its topology. Nothing runs on them, DaemonSets
neither: what the profile reserves for these is free.
"""

from collections.abc import Iterable, Iterator
from itertools import cycle, islice

from gpuspec import hardware
from gpuspec.fleet import advertised, host
from gpuspec.fleet.labels import pool_labels
from gpuspec.hardware import GpuModel
from gpuspec.spec import Pool, Profile
from tests.control_plane.client import Client, Object

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
# Labels that Kubernetes has replaced, and that no node of today has.
PAST = ("beta.kubernetes.io/", "failure-domain.beta.kubernetes.io/")
# Nodes that share a value of a topology level which is neither the zone nor the node itself.
PER_RACK = 2
# Nodes of a pool when the profile does not say how many, or says that there may be none.
UNTOLD = 2


def nodes(profile: Profile, at_most: int | None = None) -> list[Object]:
    """The nodes of a profile, of each pool no more than `at_most`; Karpenter makes its own."""
    pools = [pool for pool in profile.spec.pools if pool.karpenter is None]
    return [node for pool in pools for node in islice(_nodes(profile, pool), at_most)]


def node(
    name: str,
    have: dict[str, str],
    labels: dict[str, str] | None = None,
    taints: Iterable[Object] = (),
) -> Object:
    """A Ready Node that has so much, all of it allocatable."""
    capacity = {"pods": "110", "ephemeral-storage": "1000Gi"} | have
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": (labels or {}) | {HOSTNAME: name}},
        "spec": {"taints": list(taints)},
        "status": {"capacity": capacity, "allocatable": capacity, "conditions": [ready]},
    }


def join(client: Client, made: Iterable[Object]) -> None:
    """Create nodes."""
    for each in made:
        client.create(each)


def _nodes(profile: Profile, pool: Pool) -> Iterator[Object]:
    model = hardware.model(pool.gpu.model)
    labels = _labels(profile, pool, model)
    have = _have(pool, model)
    taints = [{"key": t.key, "value": t.value, "effect": t.effect} for t in pool.taints]
    zones = cycle(pool.zones or ("",))
    for number, zone in zip(range(_count(pool)), zones, strict=False):
        own = {ZONE: zone} if zone else {}
        rack = number // (PER_RACK * max(1, len(pool.zones)))
        own |= dict.fromkeys(_racks(profile, pool), f"{zone or 'all'}-{rack}")
        yield node(f"{pool.name}-{number}", have, labels | own, taints)


def _count(pool: Pool) -> int:
    """Nodes now; of an autoscaled pool the fewest."""
    if isinstance(pool.nodes, int):
        return pool.nodes
    return (pool.nodes.min if pool.nodes else 0) or UNTOLD


def _racks(profile: Profile, pool: Pool) -> list[str]:
    topology = profile.spec.topology
    if topology is None or not topology.covers(pool.name):
        return []
    return [level.label for level in topology.levels if level.label not in (HOSTNAME, ZONE)]


def _labels(profile: Profile, pool: Pool, model: GpuModel) -> dict[str, str]:
    """The labels that are sure, and where no provider labels them, GPU Feature Discovery's."""
    provider = profile.spec.provider
    found = {}
    for key, values in pool_labels(pool, model, provider).values.items():
        discovered = provider == "none" and key.startswith("nvidia.com/")
        sure = discovered or None not in values
        if values[0] is not None and sure and not key.startswith(PAST):
            found[key] = values[0]
    return found


def _have(pool: Pool, model: GpuModel) -> dict[str, str]:
    """Allocatable: the pool's, or that of the smallest machine sold with this GPU."""
    # What a DRA driver hands out is no resource of the node.
    have = {name: str(count) for name, count in advertised(pool, model).items()}
    if pool.gpu.dra is not None:
        have = {}
    if pool.allocatable is not None:
        told = pool.allocatable
        have |= {"cpu": str(told.cpu), "memory": str(told.memory), "pods": str(told.pods)}
        if told.ephemeral_storage is not None:
            have["ephemeral-storage"] = str(told.ephemeral_storage)
    elif (common := host(pool, model)) is not None:
        have |= {"cpu": f"{common.cpu}m", "memory": str(common.memory)}
    return have | _fabric(pool)


def _fabric(pool: Pool) -> dict[str, str]:
    """What the fabric's device plugin advertises: a node's devices, or as many as pods may share."""
    rdma = pool.rdma
    if rdma is None:
        return {}
    times = 1 if rdma.per_gpu else 1000
    counts = rdma.devices
    found = {name: str(count * times) for name, count in counts.items()}
    if rdma.hugepages is not None:
        found["hugepages-2Mi"] = str(rdma.hugepages)
    return found
