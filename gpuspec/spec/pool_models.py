"""The GPU model of a pool: from the hardware table, or as described in the profile."""

from functools import cache
from types import MappingProxyType

from gpuspec import hardware
from gpuspec.hardware import GpuModel, TpuSlice
from gpuspec.numbers import of_digits
from gpuspec.spec.pools import Pool

TPU, TPU_TOPOLOGY = "tpu", "cloud.google.com/gke-tpu-topology"
_BYTES_OF_A_BOX = 10**9


def model_of(pool: Pool) -> GpuModel:
    """Return the model of a pool's GPUs. In a checked profile, each pool has exactly one."""
    gpu = pool.gpu
    if gpu.memory is None:
        gpu_model = hardware.find(gpu.model)[0]
        return (
            gpu_model if gpu.partition is None else hardware.partitioned(gpu_model, gpu.partition)
        )
    labels = tuple(sorted(pool.labels.items()))
    return _described(gpu.model, gpu.resource, gpu.memory.int_value, gpu.compute_capability, labels)


def slice_of(pool: Pool) -> TpuSlice | None:
    """Return the slice to which a host of a pool belongs; None if it belongs to none, or is
    unknown."""
    topology = pool.gpu.topology or pool.labels.get(TPU_TOPOLOGY)
    chips = hardware.chips_of(topology) if topology else None
    if topology is None or chips is None or not is_tpu(pool):
        return None
    return TpuSlice(topology, -(-chips // pool.gpu.count), pool.gpu.count)


def is_tpu(pool: Pool) -> bool:
    """Return whether a pool's devices are TPU chips."""
    device = hardware.resource(pool.gpu.resource)
    return device is not None and device.vendor == TPU


@cache
def _described(
    name: str,
    resource: str,
    memory: int,
    capability: str | None,
    labels: tuple[tuple[str, str], ...],
) -> GpuModel:
    """Return a model that the profile describes; pools with the same description share it."""
    device = hardware.resource(resource)
    keys = {
        labeller.product: labeller.values
        for labeller in hardware.labellers().values()
        if labeller.product
    }
    parts = [of_digits(part) for part in capability.split(".")] if capability else []
    return GpuModel(
        name=name,
        vendor=device.vendor if device else resource.partition("/")[0],
        family="",
        memory=memory,
        marketed_gb=memory // _BYTES_OF_A_BOX,
        compute_capability=(parts[0], parts[1]) if parts else None,
        architecture=None,
        forms=(hardware.BoardForm(name, (), None),),
        aliases=(),
        base=frozenset(),
        weak=frozenset(),
        labels=MappingProxyType({keys[key]: (value,) for key, value in labels if key in keys}),
        sources=MappingProxyType({}),
    )
