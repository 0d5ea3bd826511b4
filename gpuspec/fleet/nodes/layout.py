"""Which devices lie on which GPU of a node."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.nodes.node import Gpus, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.hardware import GpuModel, MigProfile, Placement
    from gpuspec.spec import Sharing

WHOLE = 1000


def gpus(model: GpuModel, count: int, resource: str, sharing: Sharing | None) -> Gpus:
    """GPUs of a node that are all handed out in one way."""
    if sharing is None:
        return Gpus(count, model.name, {resource: _plain(count)})
    if sharing.mode == "mig":
        return Gpus(count, model.name, _slices(model, count, resource, sharing), "mig")
    each = sharing.replicas or 1
    # The device plugin lists the shares of one GPU after those of the other.
    sizes = _parts([1] * each)
    parts = tuple(Piece(gpu, size) for gpu in range(count) for size in sizes)
    return Gpus(count, model.name, {sharing.share_name(resource): parts}, sharing.mode)


def joined(parts: Iterable[Gpus]) -> Gpus | None:
    """The GPUs of a node, of which some are handed out in one way and some in another."""
    found: Gpus | None = None
    for one in parts:
        found = one if found is None else _beside(found, one)
    return found


def unknown(counts: Mapping[str, int]) -> Gpus | None:
    """GPUs of which nothing is known but how many devices of each resource a node has."""
    parts = [Gpus(n, None, {name: _plain(n)}) for name, n in sorted(counts.items()) if n > 0]
    return joined(parts)


def _plain(count: int) -> tuple[Piece, ...]:
    return tuple(Piece(gpu, WHOLE) for gpu in range(count))


def _beside(one: Gpus, other: Gpus) -> Gpus:
    pieces = dict(one.pieces)
    for name, more in other.pieces.items():
        moved = (msgspec.structs.replace(piece, gpu=piece.gpu + one.count) for piece in more)
        pieces[name] = (*pieces.get(name, ()), *moved)
    sharing = one.sharing or other.sharing
    return Gpus(one.count + other.count, one.model or other.model, pieces, sharing)


def _slices(
    model: GpuModel, count: int, resource: str, sharing: Sharing
) -> dict[str, tuple[Piece, ...]]:
    laid = laid_out(model, sharing.profiles)
    found: dict[str, list[Piece]] = {}
    sizes = _parts([at.size for _, at in laid])
    for gpu in range(count):
        for (profile, at), milli in zip(laid, sizes, strict=True):
            name = profile.resource if sharing.strategy == "mixed" else resource
            found.setdefault(name, []).append(Piece(gpu, milli, at.start, at.size))
    return {name: tuple(pieces) for name, pieces in found.items()}


def _parts(weights: list[int]) -> list[int]:
    """A GPU's thousandths divided by weights: all of it is somebody's, whatever the rounding."""
    total = sum(weights)
    bounds = [WHOLE * sum(weights[:end]) // total for end in range(len(weights) + 1)]
    return [after - before for before, after in pairwise(bounds)]


def laid_out(model: GpuModel, profiles: dict[str, int]) -> tuple[tuple[MigProfile, Placement], ...]:
    """Where the slices of a layout lie on a GPU, in the order of their places.

    Larger slices have fewer places, and go first. A slice that finds none is left out: the rules of
    the profile have refused such a layout.
    """
    known = [(model.profile(name), number) for name, number in profiles.items()]
    wanted = [one for one, number in known if one is not None for _ in range(number)]
    wanted.sort(key=lambda one: (len(one.placements), -one.memory_slices))
    placed = _place(wanted, ()) or ()
    return tuple(sorted(placed, key=lambda pair: pair[1].start))


def _place(
    wanted: list[MigProfile], taken: tuple[tuple[MigProfile, Placement], ...]
) -> tuple[tuple[MigProfile, Placement], ...] | None:
    if not wanted:
        return taken
    for at in wanted[0].placements:
        if not any(at.overlaps(other) for _, other in taken):
            found = _place(wanted[1:], (*taken, (wanted[0], at)))
            if found is not None:
                return found
    return None
