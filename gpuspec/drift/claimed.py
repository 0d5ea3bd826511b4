"""Compare the accelerators in a node's ResourceSlices with its pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.claimed import read_claimed
from gpuspec.drift.model import Trait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.fleet.claims.model import ResourceSlice
    from gpuspec.spec import Pool, Sharing

    Slices = Sequence[ResourceSlice] | None


def claimed(node: LiveNode, pools: Sequence[Pool], slices: Slices) -> Iterator[Trait]:
    """Yield differences between a node's ResourceSlices and its pools, for drivers whose slices
    identify the GPUs."""
    pool = next((candidate for candidate in pools if candidate.gpu.dra is not None), None)
    if pool is None or slices is None or not _is_known(pool):
        return
    reading = read_claimed(node, slices)
    if reading is None or not reading.parts:
        why = reading.reasons[0] if reading else "no ResourceSlice lists any of them"
        yield Trait("devices", f"none of {pool.gpu.count} GPUs is handed out by claims: {why}")
        return
    (part, *_) = reading.parts
    gpu_model = hardware.model(pool.gpu.model)
    if pool.gpu.memory is None and part.model.name != gpu_model.name:
        text = f"its ResourceSlices list {part.model.name}, but the pool says {gpu_model.name}"
        yield Trait("model", text)
    if part.partition != pool.gpu.partition:
        listed, stated = (
            candidate or "whole GPUs" for candidate in (part.partition, pool.gpu.partition)
        )
        yield Trait("sharing", f"its ResourceSlices list {listed}, but the pool says {stated}")
    if part.count != pool.gpu.count:
        text = f"its ResourceSlices list {part.count} GPUs, but the pool says {pool.gpu.count}"
        yield Trait("devices", text)
    if _layout(part.sharing) != _layout(pool.sharing):
        listed, stated = (_words(_layout(candidate)) for candidate in (part.sharing, pool.sharing))
        yield Trait("sharing", f"its ResourceSlices list {listed}, but the pool says {stated}")


def _is_known(pool: Pool) -> bool:
    driver = hardware.claim_driver(hardware.model(pool.gpu.model).vendor)
    return pool.gpu.memory is None and driver is not None and driver.product is not None


def _layout(sharing: Sharing | None) -> dict[str, int]:
    return {} if sharing is None or sharing.mode != "mig" else dict(sharing.profiles)


def _words(layout: dict[str, int]) -> str:
    return ", ".join(f"{count} × {name}" for name, count in sorted(layout.items())) or "whole GPUs"
