"""Compare a node's allocatable devices and host resources with its pools."""

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
    """Return the accelerators that a node should advertise, by resource; accelerators for claims
    are not included."""
    sums: dict[str, int] = {}
    for pool in (candidate for candidate in pools if candidate.gpu.dra is None):
        for name, count in advertised(pool, model_of(pool)).items():
            sums[name] = sums.get(name, 0) + count
    return sums


def devices(node: LiveNode, pools: Sequence[Pool], *, dra: bool) -> Iterator[Trait]:
    """Yield differences in accelerators and in devices of the fabric, by a node's allocatable."""
    wanted_devices = expected(pools)
    have = [name for name in node.allocatable if hardware.is_gpu_resource(name)]
    for name, count in wanted_devices.items():
        total, usable = both(node, name)
        if usable == count:
            continue
        if usable > count:
            yield Trait("devices", f"{usable} {name}, but the pool says {count}")
        elif not usable:
            why = _instead(node, name, wanted_devices) or _why(node, dra)
            yield Trait("devices", f"none of {count} {name} can be allocated: {why}")
        else:
            why = ": the others are unhealthy or gone" if total >= count else ""
            yield Trait("devices", f"{usable} of {count} {name} can be allocated{why}")
    for name in sorted(have):
        if (
            name not in wanted_devices
            and (amount := node.amount(name))
            and not _is_other(name, wanted_devices)
        ):
            yield Trait("devices", f"{amount} {name}, which the pool does not list")
    fabric: dict[str, int] = {}
    for pool in pools:
        shared = pool.rdma is not None and not pool.rdma.per_gpu
        # What pods may share is advertised in numbers of its plugin's choice.
        fabric |= {name: 1 if shared else n for name, n in fabric_devices(pool).items()}
    for name, count in fabric.items():
        if (usable := node.amount(name) or 0) < count:
            count_text = f"{usable} of {count} {name}" if count > 1 else f"no {name}"
            yield Trait("devices", f"{count_text} can be allocated")


def _is_other(name: str, expected_devices: dict[str, int]) -> bool:
    """Return whether a resource is another resource of an expected device: memory or cores of the
    same GPU."""
    resource = hardware.resource(name)
    return resource is not None and resource.of in expected_devices


def _instead(node: LiveNode, name: str, expected_devices: dict[str, int]) -> str | None:
    """Return the resources that a node advertises instead, because its GPUs are partitioned or
    shared."""
    kind = hardware.resource(name)
    others = [
        f"{amount} {resource_name}"
        for resource_name in sorted(node.allocatable)
        if resource_name not in expected_devices
        and (resource := hardware.resource(resource_name)) is not None
        and kind is not None
        and resource.vendor == kind.vendor
        and (amount := node.amount(resource_name))
        and not _is_other(resource_name, expected_devices)
    ]
    return f"the node offers {' and '.join(others)} instead" if others else None


def _why(node: LiveNode, dra: bool) -> str:
    names = [name for name in node.capacity if hardware.is_gpu_resource(name)]
    return cause(node, dra, sorted(names))


def sizes(node: LiveNode, pools: Sequence[Pool]) -> Iterator[Trait]:
    """Yield host resources with less allocatable than the pool states."""
    stated: dict[str, int] = {}
    for pool in pools:
        if pool.allocatable is None:
            continue
        have = pool.allocatable
        pool_sizes = {
            "cpu": have.cpu.milli_value,
            "memory": have.memory.int_value,
            "pods": have.pods,
        }
        if have.ephemeral_storage is not None:
            pool_sizes["ephemeral-storage"] = have.ephemeral_storage.int_value
        pages = (pool.gpu.hugepages, None if pool.rdma is None else pool.rdma.hugepages)
        total = sum(page.int_value for page in pages if page is not None)
        for name, amount in (
            pool_sizes | ({_HUGE: total} if total else {}) | pool.other_resources
        ).items():
            stated[name] = stated.get(name, 0) + amount
    for name, amount in stated.items():
        allocatable = (node.milli(name) if name == "cpu" else node.amount(name)) or 0
        if allocatable < amount:
            actual_text, stated_text = (
                _amount(name, quantity) for quantity in (allocatable, amount)
            )
            yield Trait(
                "size", f"{actual_text} of {stated_text} {_SIZES.get(name, name)} can be allocated"
            )


def _amount(name: str, amount: int) -> str:
    if name == "cpu":
        return str(Quantity(Fraction(amount, 1000)))
    is_bytes = name in ("memory", "ephemeral-storage") or name.startswith(PAGES)
    return str(Quantity.of_bytes(amount)) if is_bytes else str(amount)
