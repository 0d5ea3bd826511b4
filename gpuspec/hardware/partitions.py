"""Partitions of AMD GPUs: separate devices, each with a part of one GPU's dies and memory."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.hardware.catalog import model
from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from gpuspec.hardware.model import GpuModel

_NAME = re.compile("(?P<compute>[a-z]px)_nps[1248]")
_EACH_DIE = "cpx"


def partition_names(whole: GpuModel) -> tuple[str, ...]:
    """Return the first parts of the names of its partitions (`dpx`, `cpx`); empty if it has none."""
    if whole.dies == 1:
        return ()
    partitions = table("amd")["partitions"]
    return (*(name for name, parts in partitions.items() if whole.dies % parts == 0), _EACH_DIE)


def parts_of(whole: GpuModel, partition: str) -> int | None:
    """Return the number of devices in a partition mode (`cpx_nps4`); None if the model does not
    have it."""
    match = _NAME.fullmatch(partition)
    if match is None or match["compute"] not in partition_names(whole):
        return None
    parts: int = table("amd")["partitions"].get(match["compute"], whole.dies)
    return parts


def partitioned(whole: GpuModel, partition: str) -> GpuModel:
    """Return one device of a partitioned GPU, as a model of its own."""
    return _partitioned(whole.name, partition)


@cache
def _partitioned(name: str, partition: str) -> GpuModel:
    whole = model(name)
    parts = parts_of(whole, partition)
    if parts is None or parts == 1:
        return whole
    return replace(
        whole,
        name=f"{whole.name} {partition}",
        memory=whole.memory // parts,
        marketed_gb=whole.marketed_gb // parts,
        dies=1,
        whole=whole,
    )
