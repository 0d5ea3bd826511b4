"""GPU instances of EC2: the resources of each size, by family."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from collections.abc import Mapping


class Instance(msgspec.Struct, frozen=True):
    """One instance type."""

    family: str
    size: str
    architecture: str
    maker: str
    """The vendor of its GPUs, in lower case."""
    gpu: str
    """The name in Karpenter's label: `l40s`."""
    cpu: int
    """vCPUs."""
    memory: int
    """In MiB."""
    gpus: int
    """The number that EC2 reports: 0 if it has only a part of a GPU."""
    efa: int
    """The number of EFA interfaces."""

    @property
    def name(self) -> str:
        """`g6.xlarge`."""
        return f"{self.family}.{self.size}"


@cache
def instances() -> Mapping[str, tuple[Instance, ...]]:
    """Return all known sizes of each family of instances."""
    return {
        family: tuple(
            _instance(family, row_of_family, row.split()) for row in row_of_family["sizes"]
        )
        for family, row_of_family in table("instances")["families"].items()
    }


def instance(name: str) -> Instance | None:
    """Return the instance type with a name; None if its family or size is unknown."""
    family, _, size = name.partition(".")
    return next(
        (
            instance_type
            for instance_type in instances().get(family, ())
            if instance_type.size == size
        ),
        None,
    )


def _instance(family: str, row_of_family: Mapping[str, str], words: list[str]) -> Instance:
    size, cpu, memory, gpus, efa = words
    maker, gpu = row_of_family["gpu"].split()
    return Instance(
        family,
        size,
        row_of_family["arch"],
        maker,
        gpu,
        of_digits(cpu),
        of_digits(memory),
        of_digits(gpus),
        of_digits(efa),
    )
