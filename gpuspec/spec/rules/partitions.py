"""Rules for pools with partitioned AMD GPUs: unknown partitions and contradictions."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.spec.pools import Pool
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

_DOMAIN = "amd.com/"
_SINGLE = "amd.com/gpu"


def problems(pool: Pool, whole: GpuModel, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a pool that names a partition; `whole` is the model of its
    GPUs."""
    name, where = pool.gpu.partition or "", (*path, "gpu", "partition")
    parts = hardware.parts_of(whole, name)
    if parts is None:
        kinds = hardware.partition_names(whole)
        hint = f"it has {', '.join(f'{kind}_nps<n>' for kind in kinds)}" if kinds else "delete it"
        yield SpecViolation(f"{whole.name} has no partition {shown(name)}", where, hint)
        return
    gpu = (*path, "gpu")
    if pool.gpu.count % parts:
        yield SpecViolation(
            f"{pool.gpu.count} devices do not match whole GPUs: each becomes {parts} by {name}",
            (*gpu, "count"),
            f"count what the nodes advertise: {parts} for each GPU",
            needs=(where,),
        )
    if pool.gpu.resource not in (_SINGLE, _DOMAIN + name):
        yield SpecViolation(
            f"{shown(pool.gpu.resource)} is not how a device of {name} is advertised",
            (*gpu, "resource"),
            f"use {_SINGLE} (naming strategy single) or {_DOMAIN}{name} (mixed)",
            needs=(where,),
        )
    key = hardware.labellers()["amd"].keys["partition"]
    if pool.labels.get(key, name) != name:
        yield SpecViolation(
            f"label `{key}` contradicts the pool's partition {name}",
            (*path, "labels", key),
            "one of the two is wrong: pods would go to other nodes than counted",
            needs=(where,),
        )
