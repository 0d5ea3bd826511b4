"""Which pools of the profile can carry a workload, and why the others are left out.

A plan is for the pools that satisfy the workload and agree with the first choice on device
resource and fabric; everything else is derived from that set.
"""

from gpuspec import hardware
from gpuspec.fleet import host
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Quantity
from gpuspec.plan.case import Case, ChosenPool, LeftOut, Refusal, Refused
from gpuspec.plan.leaf import Note, Origin
from gpuspec.spec import (
    BatchInferenceSpec,
    InferenceSpec,
    Pool,
    Profile,
    TrainingFields,
    Workload,
    WorkloadSpec,
)


def examine(workload: Workload, profile: Profile) -> Case:
    """The workload on the profile, with the pools that can carry it, best first.

    Raises `Refusal` when the profile has pools and none of them can.
    """
    wanted = acceptable_models(workload, profile)
    if not profile.spec.pools:
        return Case(workload, profile, (), wanted)
    spec = workload.model.spec
    fit: list[ChosenPool] = []
    left: list[LeftOut] = []
    for index, pool in enumerate(profile.spec.pools):
        model = hardware.find(pool.gpu.model)[0]
        reason = _misfit(spec, pool, model, wanted)
        if reason:
            left.append(LeftOut(pool, index, reason))
        else:
            fit.append(ChosenPool(pool, model, index))
    if not fit:
        reasons = [
            Refused(f"pool {out.pool.name}: {out.reason}", workload.place(("spec", "gpu")))
            for out in left
        ]
        raise Refusal(workload.name, profile.name, reasons)
    fit.sort(key=lambda chosen: _rank(chosen, wanted, spec))
    agreed: list[ChosenPool] = []
    for chosen in fit:
        if reason := _disagreement(fit[0], chosen, workload):
            left.append(LeftOut(chosen.pool, chosen.index, reason))
        else:
            agreed.append(chosen)
    models = tuple(dict.fromkeys(chosen.model for chosen in agreed))
    left.sort(key=lambda out: out.index)
    return Case(workload, profile, tuple(agreed), models, tuple(left))


def acceptable_models(workload: Workload, profile: Profile) -> tuple[GpuModel, ...]:
    """The models that the spec's names mean on this profile, best first; empty means any.

    Raises `Refusal` when a name means several models and the profile does not narrow it.
    """
    offered = {m.name for pool in profile.spec.pools for m in hardware.find(pool.gpu.model)}
    found: list[GpuModel] = []
    unclear: list[Refused] = []
    for index, name in enumerate(workload.model.spec.gpu.models):
        meant = hardware.find(name)
        if len(meant) > 1 and offered:
            meant = tuple(model for model in meant if model.name in offered) or meant
        elif len(meant) > 1:
            choices = ", ".join(model.name for model in meant)
            unclear.append(
                Refused(
                    f'"{name}" can mean {choices}',
                    workload.place(("spec", "gpu", "models", index)),
                    "name one of them, or list several",
                )
            )
        found += [model for model in meant if model not in found]
    if unclear:
        raise Refusal(workload.name, profile.name, unclear)
    return tuple(found)


def notes(case: Case) -> list[Note]:
    """What `explain` says of the pools."""
    said = [
        Note(f"pool {chosen.pool.name} can carry it", Origin("profile", chosen.path()))
        for chosen in case.pools
    ]
    said += [
        Note(
            f"pool {out.pool.name} is left out: {out.reason}",
            Origin("profile", ("spec", "pools", out.index)),
        )
        for out in case.left_out
    ]
    return said


def uses_fabric(workload: Workload) -> bool:
    """Whether the pods talk to each other over the pool's RDMA fabric, where it has one."""
    spec = workload.model.spec
    several = isinstance(spec, TrainingFields) and spec.workers > 1
    return several or spec.gpu.interconnect == "rdma"


def _misfit(
    spec: WorkloadSpec, pool: Pool, model: GpuModel, wanted: tuple[GpuModel, ...]
) -> str | None:
    """Why a pool cannot carry the workload, or None when it can."""
    gpu = spec.gpu
    if wanted and model not in wanted:
        return f"its {model.name} is not among the acceptable models"
    if gpu.count > pool.gpu.count:
        return f"its nodes have {pool.gpu.count} GPUs, a pod asks for {gpu.count}"
    if gpu.memory and model.memory is not None and model.memory < gpu.memory.value:
        return f"its {model.name} has {_gib(model.memory)}, a pod asks for {gpu.memory} per GPU"
    if gpu.compute_capability and _capability(model) < _version(gpu.compute_capability):
        have = ".".join(map(str, model.compute_capability or ("?",)))
        return f"compute capability {have} is below {gpu.compute_capability}"
    if gpu.interconnect == "nvlink" and gpu.count > 1 and not model.nvlink:
        return f"its {model.name} has no NVLink"
    if gpu.interconnect == "rdma" and pool.rdma is None:
        return "it has no RDMA fabric"
    if spec.architecture and pool.architecture != spec.architecture:
        return f"its CPUs are {pool.architecture}, the image is {spec.architecture}"
    if spec.architecture is None and pool.architecture != (model.architecture or "amd64"):
        return f"its CPUs are {pool.architecture}; say architecture: {pool.architecture}"
    if pool.capacity != spec.capacity:
        return f"its capacity is {pool.capacity}, the workload's is {spec.capacity}"
    return _weights_misfit(spec, model) or _host_misfit(spec, pool, model)


def _weights_misfit(spec: WorkloadSpec, model: GpuModel) -> str | None:
    ref = spec.model if isinstance(spec, InferenceSpec | BatchInferenceSpec) else None
    if ref is None or ref.size is None or model.memory is None:
        return None
    total = model.memory * spec.gpu.count
    if ref.size.value <= total:
        return None
    return (
        f"the weights of {ref.size} do not fit into {spec.gpu.count} × {_gib(model.memory)} "
        f"= {_gib(total)}"
    )


def _host_misfit(spec: WorkloadSpec, pool: Pool, model: GpuModel) -> str | None:
    node = host(pool, model)
    if node is None:
        return None
    asked = spec.resources
    if asked.cpu and asked.cpu.value * 1000 > node.cpu:
        return f"a node leaves {node.cpu / 1000:g} CPUs for pods, a pod asks for {asked.cpu}"
    if asked.memory and asked.memory.value > node.memory:
        return f"a node leaves {_gib(node.memory)} for pods, a pod asks for {asked.memory}"
    disk = asked.ephemeral_storage
    if disk and node.disk is not None and disk.value > node.disk:
        return f"a node leaves {_gib(node.disk)} of disk for pods, a pod asks for {disk}"
    return None


def _rank(
    chosen: ChosenPool, wanted: tuple[GpuModel, ...], spec: WorkloadSpec
) -> tuple[int, int, int]:
    """Best first: the spec's order; without one, the smallest GPU that is large enough."""
    if wanted:
        return (wanted.index(chosen.model), 0, chosen.index)
    small_first = chosen.model.memory if spec.gpu.memory and chosen.model.memory else 0
    return (0, small_first, chosen.index)


def _disagreement(first: ChosenPool, other: ChosenPool, workload: Workload) -> str | None:
    """Why one pod cannot be for both pools: device resource, fabric and runtime are one choice."""
    one, two = first.pool, other.pool
    if one.gpu.resource != two.gpu.resource:
        return f"it advertises {two.gpu.resource}, the first choice {one.gpu.resource}"
    if one.runtime_class != two.runtime_class:
        return "it needs another runtimeClassName than the first choice"
    if one.architecture != two.architecture:
        return f"its CPUs are {two.architecture}, the first choice's {one.architecture}"
    if uses_fabric(workload) and fabric_request(first, workload) != fabric_request(other, workload):
        return "its RDMA fabric is not that of the first choice"
    return None


def fabric_request(
    chosen: ChosenPool, workload: Workload
) -> tuple[str, int, Quantity | None] | None:
    """Resource, number and huge pages that a pod asks of the pool's fabric."""
    rdma = chosen.pool.rdma
    if rdma is None:
        return None
    number = rdma.count
    if rdma.per_gpu:
        number = max(1, rdma.count * workload.model.spec.gpu.count // chosen.pool.gpu.count)
    return (rdma.resource, number, rdma.hugepages)


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.0f}Gi"


def _capability(model: GpuModel) -> tuple[int, int]:
    return model.compute_capability or (0, 0)


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)
