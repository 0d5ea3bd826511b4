"""Rules for TPU slices, which the pods of a workload and the nodes of a pool fill exactly."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.pool_models import TPU, TPU_TOPOLOGY, is_tpu
from gpuspec.spec.pools import NodeCount, Pool
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.devices import acceptable_models
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.together import pods_together, together_field

NODE_POOL = "cloud.google.com/gke-nodepool"
_GPU: Path = ("spec", "gpu")
_FORM = "write the dimensions, such as 4x4 or 2x2x4"


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a workload's slice."""
    topology, where = spec.gpu.topology, (*_GPU, "topology")
    if topology is None:
        return
    chips = hardware.chips_of(topology)
    if chips is None:
        yield SpecViolation(f"{shown(topology)} is not a TPU topology", where, _FORM)
        return
    gpu_models = acceptable_models(spec) if spec.gpu.models else []
    if gpu_models and all(model.vendor != TPU for model in gpu_models):
        names = ", ".join(model.name for model in gpu_models)
        message = f"`topology` needs a TPU, but the acceptable GPUs are {names}"
        yield SpecViolation(message, where, "delete it, or name a TPU", needs=((*_GPU, "models"),))
        return
    pods, count = pods_together(spec), spec.gpu.count
    if pods * count == chips:
        return
    field = together_field(spec)
    who = (
        f"{pods} {field} × {count} are {pods * count}" if pods > 1 else f"the only pod has {count}"
    )
    message = f"{topology} is {chips} chips, and {who}"
    needs = ((*_GPU, "count"), *((("spec", field),) if field else ()))
    yield SpecViolation(message, where, _fitting(topology, chips, field, gpu_models), needs=needs)


def _fitting(topology: str, chips: int, field: str | None, gpu_models: list[GpuModel]) -> str:
    """Return the number of pods that fill the slice, for each machine type."""
    ways = [
        tpu_slice
        for model in gpu_models
        if (table := hardware.slices_of(model)) is not None
        for tpu_slice in table.on(topology)
        if field or tpu_slice.hosts == 1
    ]
    if not ways:
        return f"use all {chips} chips of the slice, with all those of a host in one pod"
    choices = (
        f"gpu.count: {way.chips}" + (f" and {field}: {way.hosts}" if field else "")
        for way in dict.fromkeys(ways)
    )
    return f"write {', or '.join(choices)}"


def pool_problems(pool: Pool, model: GpuModel | None, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the slices of a pool's nodes."""
    topology, where = pool.gpu.topology, (*path, "gpu", "topology")
    if topology is None:
        return
    chips = hardware.chips_of(topology)
    if chips is None:
        yield SpecViolation(f"{shown(topology)} is not a TPU topology", where, _FORM)
        return
    if model is not None and model.vendor != TPU and not is_tpu(pool):
        message = f"`topology` needs a TPU, but the pool's GPU is {model.name}"
        yield SpecViolation(message, where, "delete it", needs=((*path, "gpu", "model"),))
        return
    labelled = pool.labels.get(TPU_TOPOLOGY)
    if labelled not in (None, topology):
        message = f"label `{TPU_TOPOLOGY}` contradicts the pool's topology {topology}"
        yield SpecViolation(
            message, (*path, "labels", TPU_TOPOLOGY), "one of the two is wrong", needs=(where,)
        )
    hosts, rest = divmod(chips, pool.gpu.count)
    if rest:
        message = (
            f"{topology} is {chips} chips, which is not a multiple of the {pool.gpu.count} per host"
        )
        yield SpecViolation(message, where, needs=((*path, "gpu", "count"),))
        return
    yield from _whole_slices(pool, hosts, path)


def _whole_slices(pool: Pool, hosts: int, path: Path) -> Iterator[SpecViolation]:
    """Yield numbers of nodes that leave a slice incomplete, or are several slices in one node pool."""
    if hosts == 1:
        return
    bounds = (
        {"max": pool.nodes.max, "min": pool.nodes.min} if isinstance(pool.nodes, NodeCount) else {}
    )
    counts = bounds or ({"": pool.nodes} if isinstance(pool.nodes, int) else {})
    for field, nodes in counts.items():
        where = (*path, "nodes", *((field,) if field else ()))
        if nodes % hosts:
            message = f"{nodes} nodes, but a slice {pool.gpu.topology} has {hosts} hosts"
            yield SpecViolation(
                message, where, f"write {nodes // hosts * hosts + hosts}", needs=((*path, "gpu"),)
            )
        elif nodes > hosts and NODE_POOL in pool.labels:
            message = (
                f"node pool {pool.labels[NODE_POOL]} is one slice of {hosts} hosts, not {nodes}"
            )
            hint = f"set nodes: {hosts}, or leave out the label `{NODE_POOL}`"
            yield SpecViolation(message, where, hint, needs=((*path, "labels"),))
