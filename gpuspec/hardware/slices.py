"""TPU slices: the available topologies, with their hosts and chips per host."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits, read_whole

if TYPE_CHECKING:
    from gpuspec.hardware.model import GpuModel

_CUBE = 4
"""The chips along each side of the cubes that make up large slices, and on each of their hosts."""
_MOST_SIDES = 3
_LONGEST = 32


class TpuSlice(NamedTuple):
    """A slice with a `topology` (`4x4`), a number of hosts, and a number of chips on each."""

    topology: str
    hosts: int
    chips: int


class SliceTable(msgspec.Struct, frozen=True):
    """The available slices of one model: some listed, and larger ones made of cubes."""

    named: tuple[TpuSlice, ...]
    cubes: int
    ordered: bool
    source: str

    @property
    def sides(self) -> int:
        """The number of dimensions of a topology."""
        return len(self.named[0].topology.split("x"))

    @property
    def hosts(self) -> tuple[int, ...]:
        """The possible numbers of chips per host, the smallest first."""
        return tuple(sorted({tpu_slice.chips for tpu_slice in self.named}))

    def of(self, hosts: int, chips: int) -> tuple[str, ...]:
        """Return the topologies with so many hosts and so many chips on each."""
        topologies = tuple(
            tpu_slice.topology
            for tpu_slice in self.named
            if (tpu_slice.hosts, tpu_slice.chips) == (hosts, chips)
        )
        return topologies + (self._of_cubes(hosts * chips) if chips == _CUBE else ())

    def on(self, topology: str) -> tuple[TpuSlice, ...]:
        """Return the slices with a topology, by machine; empty if there are none."""
        tpu_slices = tuple(tpu_slice for tpu_slice in self.named if tpu_slice.topology == topology)
        lengths = sides(topology) or ()
        rising = list(lengths) if not self.ordered else sorted(lengths)
        if tpu_slices or tuple(rising) != lengths or len(lengths) != self.sides:
            return tpu_slices
        cubes = math.prod(length // _CUBE for length in lengths)
        if any(length % _CUBE for length in lengths) or not 0 < cubes <= self.cubes:
            return ()
        return (TpuSlice(topology, math.prod(lengths) // _CUBE, _CUBE),)

    def _of_cubes(self, chips: int) -> tuple[str, ...]:
        cubes, rest = divmod(chips, _CUBE**self.sides)
        if rest or not 0 < cubes <= self.cubes:
            return ()
        return tuple(
            "x".join(str(side * _CUBE) for side in (a, b, cubes // a // b))
            for a in range(1, cubes + 1)
            if cubes % a == 0
            for b in range(a, cubes // a + 1)
            if cubes // a % b == 0 and cubes // a // b >= b
        )


def sides(topology: str) -> tuple[int, ...] | None:
    """Return the dimensions of a topology (`2x4`: 2 and 4 chips), or None for any other text."""
    if len(topology) > _LONGEST:
        return None
    lengths = [read_whole(word) for word in topology.split("x")]
    whole = tuple(length for length in lengths if length)
    right = len(whole) == len(lengths) and 2 <= len(whole) <= _MOST_SIDES
    return whole if right and "x".join(map(str, whole)) == topology else None


def chips_of(topology: str) -> int | None:
    """Return the number of chips in a topology, or None for any other text."""
    lengths = sides(topology)
    return None if lengths is None else math.prod(lengths)


@cache
def slice_tables() -> dict[str, SliceTable]:
    """Return the available slices by model name."""
    whole = table("slices")
    return {
        name: SliceTable(
            tuple(_slice(word) for word in row["shapes"].split()),
            row.get("cubes", 0),
            row.get("ordered", True),
            whole["sources"][row["source"]],
        )
        for name, row in whole["models"].items()
    }


def slices_of(model: GpuModel) -> SliceTable | None:
    """Return the available slices of a model; None if it has none, or is unknown."""
    return slice_tables().get(model.name)


def _slice(word: str) -> TpuSlice:
    topology, _, chips = word.partition("/")
    total = math.prod(of_digits(side) for side in topology.split("x"))
    return TpuSlice(topology, total // of_digits(chips), of_digits(chips))
