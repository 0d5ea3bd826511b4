"""What a node can give: devices, and what of the host, against what its pools say."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.faults import cause
from gpuspec.cluster.discover.node_gpus import both
from gpuspec.drift.model import Trait
from gpuspec.fleet.advertised import advertised, fabric_devices
from gpuspec.manifests import Quantity
from gpuspec.spec import model_of
from gpuspec.spec.pools import PAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.spec import Pool

_HUGE = f"{PAGES}2Mi"
_SIZES = {"cpu": "CPU", "pods": "pod slots", "ephemeral-storage": "local disk"}


def expected(pools: Sequence[Pool]) -> dict[str, int]:
    """Return the accelerators that a node advertises, by resource; those that are had by claims are
    not."""
    sums: dict[str, int] = {}
    for pool in (each for each in pools if each.gpu.dra is None):
        for name, count in advertised(pool, model_of(pool)).items():
            sums[name] = sums.get(name, 0) + count
    return sums


def devices(node: LiveNode, pools: Sequence[Pool], *, dra: bool) -> Iterator[Trait]:
    """Yield accelerators and devices of the fabric, as the node counts them."""
    wanted = expected(pools)
    have = [name for name in node.allocatable if hardware.is_gpu_resource(name)]
    for name, count in wanted.items():
        total, usable = both(node, name)
        if usable == count:
            continue
        if usable > count:
            yield Trait("devices", f"{usable} {name}, but the pool says {count}")
        elif not usable:
            why = _instead(node, name, wanted) or _why(node, dra)
            yield Trait("devices", f"none of {count} {name} can be allocated: {why}")
        else:
            why = ": the others are unhealthy or gone" if total >= count else ""
            yield Trait("devices", f"{usable} of {count} {name} can be allocated{why}")
    for name in sorted(have):
        if name not in wanted and (amount := node.amount(name)) and not _is_other(name, wanted):
            yield Trait("devices", f"{amount} {name}, which the pool does not list")
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
    """Return whether a resource is another name of one that is expected: memory or cores of the
    same GPU."""
    resource = hardware.resource(name)
    return resource is not None and resource.of in wanted


def _instead(node: LiveNode, name: str, wanted: dict[str, int]) -> str | None:
    """Return what the node offers in place of a resource: its GPUs are partitioned or shared."""
    kind = hardware.resource(name)
    others = [
        f"{amount} {other}"
        for other in sorted(node.allocatable)
        if other not in wanted
        and (resource := hardware.resource(other)) is not None
        and kind is not None
        and resource.vendor == kind.vendor
        and (amount := node.amount(other))
        and not _is_other(other, wanted)
    ]
    return f"the node offers {' and '.join(others)} instead" if others else None


def _why(node: LiveNode, dra: bool) -> str:
    names = [name for name in node.capacity if hardware.is_gpu_resource(name)]
    return cause(node, dra, sorted(names))


def sizes(node: LiveNode, pools: Sequence[Pool]) -> Iterator[Trait]:
    """Yield what can be allocated of the host, below what the pool says."""
    said: dict[str, int] = {}
    for pool in pools:
        if pool.allocatable is None:
            continue
        have = pool.allocatable
        own = {"cpu": have.cpu.milli_value, "memory": have.memory.int_value, "pods": have.pods}
        if have.ephemeral_storage is not None:
            own["ephemeral-storage"] = have.ephemeral_storage.int_value
        pages = (pool.gpu.hugepages, None if pool.rdma is None else pool.rdma.hugepages)
        total = sum(page.int_value for page in pages if page is not None)
        for name, amount in (
            own | ({_HUGE: total} if total else {}) | pool.other_resources
        ).items():
            said[name] = said.get(name, 0) + amount
    for name, amount in said.items():
        there = (node.milli(name) if name == "cpu" else node.amount(name)) or 0
        if there < amount:
            told, wanted = (_amount(name, one) for one in (there, amount))
            yield Trait("size", f"{told} of {wanted} {_SIZES.get(name, name)} can be allocated")


def _amount(name: str, amount: int) -> str:
    if name == "cpu":
        return str(Quantity(Fraction(amount, 1000)))
    is_bytes = name in ("memory", "ephemeral-storage") or name.startswith(PAGES)
    return str(Quantity.of_bytes(amount)) if is_bytes else str(amount)
