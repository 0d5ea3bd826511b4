"""In which facts a node differs from the pool that it is of."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.faults import broken_mig, cause
from gpuspec.cluster.discover.labels import (
    CAPACITY,
    MIG_CONFIG,
    capacity,
    lasting_taints,
    product_keys,
    zone,
)
from gpuspec.cluster.discover.model import Found, model_of
from gpuspec.cluster.discover.parts import both
from gpuspec.drift.model import Trait
from gpuspec.fleet.advertised import advertised, fabric_devices
from gpuspec.manifests import Quantity
from gpuspec.spec import model_of as model_of_pool
from gpuspec.spec import shared_node_labels
from gpuspec.spec.pools import PAGES, REGION_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.cluster.discover.input import Node
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool, Topology

_SETTLED = ("", "success")
_HUGE = f"{PAGES}2Mi"


def traits(
    node: Node, pools: Sequence[Pool], topology: Topology | None = None, *, dra: bool = False
) -> list[Trait]:
    """All of them. Several pools are parts of the same node, which has what they have together."""
    first = pools[0]
    found = [*_model(node, first)]
    renamed = bool(found)
    return [
        *_state(node),
        *found,
        *_devices(node, pools, dra),
        *_labels(node, pools, renamed=renamed),
        *_levels(node, first, topology),
        *_sharing(node, pools),
        *_taints(node, first),
        *_place(node, first),
        *_sizes(node, pools),
    ]


def _state(node: Node) -> Iterator[Trait]:
    if not node.ready:
        yield Trait("state", "not ready")
    if node.cordoned:
        yield Trait("state", "cordoned")


def other_model(node: Node, pool: Pool) -> bool | None:
    """Whether its GPUs are of another model than the pool's; None where nothing is sure."""
    found = _surely(node, pool)
    return None if found is None else found.name != hardware.model(pool.gpu.model).name


def _surely(node: Node, pool: Pool) -> GpuModel | None:
    """The model of a node that may be of the pool; None where nothing is sure, or not of the table."""
    if pool.gpu.memory is not None:
        return None
    found = model_of(node, hardware.model(pool.gpu.model).vendor)
    return found.model if isinstance(found, Found) and not found.remark else None


def _model(node: Node, pool: Pool) -> Iterator[Trait]:
    found = _surely(node, pool)
    if found is not None and found.name != hardware.model(pool.gpu.model).name:
        yield Trait("model", f"its GPU is {found.name}, and the pool's {pool.gpu.model}")


def expected(pools: Sequence[Pool]) -> dict[str, int]:
    """The accelerators that a node advertises, by resource."""
    sums: dict[str, int] = {}
    for pool in pools:
        for name, count in advertised(pool, model_of_pool(pool)).items():
            sums[name] = sums.get(name, 0) + count
    return sums


def _devices(node: Node, pools: Sequence[Pool], dra: bool) -> Iterator[Trait]:
    """Accelerators and devices of the fabric, as the node counts them."""
    wanted = expected(pools)
    have = [name for name in node.allocatable if hardware.is_gpu_resource(name)]
    for name, count in wanted.items():
        total, usable = both(node, name)
        if usable == count:
            continue
        if usable > count:
            yield Trait("devices", f"{usable} {name}, and the pool says {count}")
        elif not usable:
            yield Trait("devices", f"none of {count} {name} can be allocated: {_why(node, dra)}")
        else:
            why = ": the others are unhealthy or gone" if total >= count else ""
            yield Trait("devices", f"{usable} of {count} {name} can be allocated{why}")
    for name in sorted(have):
        if name not in wanted and (amount := node.amount(name)) and not _is_other(name, wanted):
            yield Trait("devices", f"{amount} {name}, which the pool does not say")
    fabric: dict[str, int] = {}
    for pool in pools:
        shared = pool.rdma is not None and not pool.rdma.per_gpu
        # What pods may share is advertised in numbers of its plugin's choice.
        fabric |= {name: 1 if shared else n for name, n in fabric_devices(pool).items()}
    for name, count in fabric.items():
        if (usable := node.amount(name) or 0) < count:
            told = f"{usable} of {count} {name}" if count > 1 else f"no {name}"
            yield Trait("devices", f"{told} can be allocated")


def _is_other(name: str, wanted: dict[str, int]) -> bool:
    """Whether a resource is another name of one that is expected: memory or cores of the same GPU."""
    known = hardware.resource(name)
    return known is not None and known.of in wanted


def _why(node: Node, dra: bool) -> str:
    names = [name for name in node.capacity if hardware.is_gpu_resource(name)]
    return cause(node, dra, sorted(names))


def lacking(node: Node, pool: Pool) -> Iterator[Trait]:
    """The pool's labels that the node has not, or has with another value."""
    for key, value in pool.labels.items():
        if key in _TOLD_ELSEWHERE or node.labels.get(key) == value:
            continue
        if key in product_keys() and _same_product(node.labels.get(key), value):
            continue
        have = node.labels.get(key)
        if have is None:
            yield Trait("labels", f"no label {key}, which the pool has as `{value}`")
        else:
            yield Trait("labels", f"label {key} is `{have}`, and the pool says `{value}`")


_TOLD_ELSEWHERE = (REGION_LABEL,)


def _same_product(have: str | None, said: str) -> bool:
    """Whether a product's name differs only in how the GPU is shared, which is told as that."""
    return have is not None and (
        hardware.split_product(have).name == hardware.split_product(said).name
    )


def _labels(node: Node, pools: Sequence[Pool], *, renamed: bool) -> Iterator[Trait]:
    seen: set[str] = set()
    for pool in pools:
        for one in lacking(node, pool):
            key = one.text
            about_model = renamed and any(f"label {each} " in key for each in product_keys())
            if key not in seen and not about_model:
                seen.add(key)
                yield one


def _levels(node: Node, pool: Pool, topology: Topology | None) -> Iterator[Trait]:
    """The levels of the topology that no label of the node tells."""
    if topology is not None and topology.covers(pool.name):
        for level in topology.levels:
            if level.label not in node.labels and level.label not in pool.labels:
                yield Trait("labels", f"no label {level.label}, a level of the topology")


def _sharing(node: Node, pools: Sequence[Pool]) -> Iterator[Trait]:
    """Labels that tell another sharing, and a MIG layout that is not there yet."""
    state = node.labels.get(f"{MIG_CONFIG}.state", "")
    if state not in _SETTLED:
        yield Trait("sharing", f"its MIG layout is not made: {MIG_CONFIG}.state is `{state}`")
    if broken_mig(node) is not None:
        # That is why there are no devices, which is said of these.
        return
    if len(pools) > 1 or (pools[0].whole_gpus and pools[0].sharing is not None):
        # Of a node that is shared in two ways a label says one.
        return
    (pool,) = pools
    told = shared_node_labels(node.labels, pool.sharing, model_of_pool(pool))
    for key, value in told.items():
        have = node.labels.get(key)
        if have is None or have == value or (key in pool.labels and key not in product_keys()):
            continue
        if key in product_keys() and hardware.split_product(have).name != (
            hardware.split_product(value or "").name
        ):
            continue
        what = "nothing" if value is None else f"`{value}`"
        yield Trait("sharing", f"label {key} is `{have}`, and the pool's sharing means {what}")
    yield from _turns(node, pool)


def _turns(node: Node, pool: Pool) -> Iterator[Trait]:
    """What GPU Feature Discovery tells of turns and MPS."""
    keys, sharing = hardware.labellers()["gfd"].keys, pool.sharing
    if sharing is not None and sharing.mode == "mig":
        return
    replicas = node.number(keys["replicas"])
    wanted = 1 if sharing is None else sharing.replicas or 1
    if replicas and replicas != wanted and keys["replicas"] not in pool.labels:
        said = f"`{wanted}`" if sharing is not None else "that they are not shared"
        yield Trait(
            "sharing", f"label {keys['replicas']} is `{replicas}`, and the pool says {said}"
        )
    mode = node.labels.get(keys["sharing"], "")
    meant = "none" if sharing is None else sharing.mode
    if mode and mode != meant and keys["sharing"] not in pool.labels:
        yield Trait("sharing", f"label {keys['sharing']} is `{mode}`, and the pool says `{meant}`")


def _taints(node: Node, pool: Pool) -> Iterator[Trait]:
    have = {(key, effect): value for key, value, effect in lasting_taints(node)}
    said = {(taint.key, str(taint.effect)): taint.value for taint in pool.taints}
    for (key, effect), value in said.items():
        if (key, effect) not in have:
            yield Trait("taints", f"no taint {_taint(key, value, effect)}, which the pool has")
        elif have[key, effect] != value:
            there = _taint(key, have[key, effect], effect)
            yield Trait("taints", f"taint {there}, and the pool says {_taint(key, value, effect)}")
    for (key, effect), value in have.items():
        if (key, effect) not in said:
            yield Trait(
                "taints", f"taint {_taint(key, value, effect)}, which the pool does not have"
            )


def _taint(key: str, value: str, effect: str) -> str:
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _place(node: Node, pool: Pool) -> Iterator[Trait]:
    where, zones = zone(node), pool.all_zones
    if where is not None and zones and where not in zones:
        yield Trait("zone", f"in zone {where}, and the pool spans {', '.join(zones)}")
    region = node.labels.get(REGION_LABEL)
    if region is not None and pool.its_region not in (None, region):
        yield Trait("zone", f"in region {region}, and the pool is in {pool.its_region}")
    is_told = any(key in node.labels for key in CAPACITY)
    if is_told and capacity(node) != pool.capacity:
        yield Trait("capacity", f"{capacity(node)} by its labels, and the pool is {pool.capacity}")
    if node.architecture != pool.architecture:
        yield Trait("architecture", f"{node.architecture}, and the pool says {pool.architecture}")


def _sizes(node: Node, pools: Sequence[Pool]) -> Iterator[Trait]:
    """What can be allocated of the host, below what the pool says."""
    said: dict[str, int] = {}
    for pool in pools:
        if pool.allocatable is None:
            continue
        have = pool.allocatable
        own = {"cpu": have.cpu.milli_value, "memory": have.memory.int_value, "pods": have.pods}
        if have.ephemeral_storage is not None:
            own["ephemeral-storage"] = have.ephemeral_storage.int_value
        pages = (pool.gpu.hugepages, None if pool.rdma is None else pool.rdma.hugepages)
        total = sum(one.int_value for one in pages if one is not None)
        for name, amount in (
            own | ({_HUGE: total} if total else {}) | pool.other_resources
        ).items():
            said[name] = said.get(name, 0) + amount
    for name, amount in said.items():
        there = (node.milli(name) if name == "cpu" else node.amount(name)) or 0
        if there < amount:
            told, wanted = (_amount(name, one) for one in (there, amount))
            yield Trait("size", f"{told} of {wanted} {_SIZES.get(name, name)} can be allocated")


_SIZES = {"cpu": "CPU", "pods": "pod slots", "ephemeral-storage": "local disk"}


def _amount(name: str, amount: int) -> str:
    if name == "cpu":
        return str(Quantity(Fraction(amount, 1000)))
    is_bytes = name in ("memory", "ephemeral-storage") or name.startswith(PAGES)
    return str(Quantity.of_bytes(amount)) if is_bytes else str(amount)
