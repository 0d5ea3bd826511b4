"""Assign each device of a node to a GPU."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fragments.mig import arrange
from gpuspec.fleet.nodes.node import DevicePart, Gpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.fragments.mig import Layout
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Sharing

WHOLE = 1000


def gpus(model: GpuModel, count: int, resource: str, sharing: Sharing | None) -> Gpus:
    """Return GPUs of a node that are all shared in one way, or some MIG-partitioned GPUs before
    others that are not."""
    if sharing is None:
        return Gpus(count, model.name, {resource: _plain(count)})
    if sharing.mode == "mig":
        cut = count if sharing.gpus is None else sharing.gpus
        node_gpus = Gpus(cut, model.name, _slices(model, cut, resource, sharing), "mig")
        return (
            node_gpus
            if cut == count
            else _beside(node_gpus, gpus(model, count - cut, resource, None))
        )
    parts = pieces_of(count, sharing.replicas or 1)
    return Gpus(count, model.name, {sharing.share_name(resource): parts}, sharing.mode)


def pieces_of(count: int, per_gpu: int) -> tuple[DevicePart, ...]:
    """Return equal pieces of each GPU, ordered by GPU."""
    sizes = _parts([1] * per_gpu)
    return tuple(DevicePart(gpu, size) for gpu in range(count) for size in sizes)


def joined(parts: Iterable[Gpus]) -> Gpus | None:
    """Return the GPUs of a node that are shared in different ways."""
    all_gpus: Gpus | None = None
    for part in parts:
        all_gpus = part if all_gpus is None else _beside(all_gpus, part)
    return all_gpus


def unknown(counts: Mapping[str, int]) -> Gpus | None:
    """Return GPUs of a node with only the number of devices of each resource known."""
    parts = [Gpus(n, None, {name: _plain(n)}) for name, n in sorted(counts.items()) if n > 0]
    return joined(parts)


@lru_cache(64)
def _plain(count: int) -> tuple[DevicePart, ...]:
    return tuple(DevicePart(gpu, WHOLE) for gpu in range(count))


def _beside(first: Gpus, second: Gpus) -> Gpus:
    pieces = dict(first.pieces)
    for name, more in second.pieces.items():
        moved = (msgspec.structs.replace(piece, gpu=piece.gpu + first.count) for piece in more)
        pieces[name] = (*pieces.get(name, ()), *moved)
    sharing = first.sharing or second.sharing
    return Gpus(first.count + second.count, first.model or second.model, pieces, sharing)


def _slices(
    model: GpuModel, count: int, resource: str, sharing: Sharing
) -> dict[str, tuple[DevicePart, ...]]:
    laid = laid_out(model, sharing.profiles)
    parts_by_name: dict[str, list[DevicePart]] = {}
    sizes = _parts([at.size for _, at in laid])
    for gpu in range(count):
        for (profile, at), milli in zip(laid, sizes, strict=True):
            mig_profile = model.profile(profile) if sharing.strategy == "mixed" else None
            name = resource if mig_profile is None else mig_profile.resource
            parts_by_name.setdefault(name, []).append(DevicePart(gpu, milli, at.start, at.size))
    return {name: tuple(pieces) for name, pieces in parts_by_name.items()}


def _parts(weights: list[int]) -> list[int]:
    """Return a GPU's thousandths divided by weights, without a rest from rounding."""
    total = sum(weights)
    bounds = [WHOLE * sum(weights[:end]) // total for end in range(len(weights) + 1)]
    return [after - before for before, after in pairwise(bounds)]


def laid_out(model: GpuModel, profiles: Mapping[str, int]) -> Layout:
    """Return the places of a layout's slices on a GPU, in order.

    A layout that does not fit has none: the profile's rules have refused it.
    """
    known_profiles = {
        name: number for name, number in profiles.items() if model.profile(name) is not None
    }
    arrangement = arrange(model.mig, (), known_profiles) or ()
    return tuple(sorted(arrangement, key=lambda mig_slice: mig_slice.at.start))
