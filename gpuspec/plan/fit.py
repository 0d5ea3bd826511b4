"""Why one GPU model, or one pool, cannot carry a workload."""

from collections.abc import Iterable

from gpuspec.fleet import host, share
from gpuspec.hardware import GpuModel
from gpuspec.plan.fabric import usable
from gpuspec.plan.needs import Needs
from gpuspec.plan.words import cores, count, gib, up
from gpuspec.spec import (
    METHOD_FACTOR,
    BatchInferenceSpec,
    FineTuneSpec,
    InferenceSpec,
    Pool,
    WorkloadSpec,
)

# Percent by which a GPU may fall short of the memory asked for: an 80 GB board reports 79.6Gi, and
# who writes 80Gi means that board. The larger gaps are real: a 24 GB L4 has 22.5Gi.
MEMORY_SLACK = 1


def model_misfit(spec: WorkloadSpec, model: GpuModel) -> str | None:
    """Why a GPU model does not meet the envelope, or None when it does."""
    gpu = spec.gpu
    least = least_memory(spec)
    if least and model.memory * 100 < least * (100 - MEMORY_SLACK):
        asked = f"a pod asks for {gpu.memory} per GPU"
        if gpu.memory is None or least > gpu.memory.value:
            asked = f"the weights need {gib(least)} on each of {count(gpu.count, 'GPU')}"
        return f"{model.name} has {gib(model.memory)}, {asked}"
    if gpu.compute_capability and _capability(model) < _version(gpu.compute_capability):
        have = ".".join(map(str, model.compute_capability or ("?",)))
        return f"{model.name} has compute capability {have}, below {gpu.compute_capability}"
    if gpu.interconnect == "nvlink" and gpu.count > 1 and not model.nvlink:
        return f"{model.name} has no NVLink"
    return None


def architecture(spec: WorkloadSpec, models: Iterable[GpuModel]) -> str:
    """The CPU architecture of the image: as the spec says, else amd64.

    It is arm64 where every acceptable GPU sits on such hosts.
    """
    bound = {model.architecture for model in models}
    return spec.architecture or ("arm64" if bound == {"arm64"} else "amd64")


def least_memory(spec: WorkloadSpec) -> int:
    """Bytes that each GPU must have: as asked, and its part of the weights. 0 when any will do."""
    asked = int(spec.gpu.memory.value) if spec.gpu.memory else 0
    match spec:
        case FineTuneSpec():
            size = spec.base_model.size
            # Sharded over all GPUs of the run at best; a copy for each needs more.
            held, gpus = METHOD_FACTOR[spec.method], spec.gpu.count * spec.workers
        case InferenceSpec() | BatchInferenceSpec():
            size = spec.model.size if spec.model else None
            held, gpus = 1.0, spec.gpu.count
        case _:
            return asked
    return max(asked, int(float(size.value) * held / gpus)) if size else asked


def pool_misfit(
    spec: WorkloadSpec,
    pool: Pool,
    model: GpuModel,
    wanted: tuple[GpuModel, ...],
    arch: str,
    needs: Needs,
) -> str | None:
    """Why a pool cannot carry the workload, or None when it can.

    `wanted` are the models that the spec names (empty: any), `arch` is the image's.
    """
    if wanted and model not in wanted:
        return f"its {model.name} is not among the acceptable models"
    if pool.sharing is not None:
        # A share is not a GPU: until a workload can say what it needs of one, none is given it.
        return f"its GPUs are shared ({pool.sharing.mode}), and pods are given whole ones only"
    if spec.gpu.count > pool.gpu.count:
        have = count(pool.gpu.count, "GPU")
        return f"its nodes have {have}, a pod asks for {spec.gpu.count}"
    if reason := model_misfit(spec, model):
        return f"its {reason}"
    if spec.gpu.interconnect == "rdma":
        if pool.rdma is None:
            return "it has no RDMA fabric"
        if not usable(pool):
            return "it limits locked memory, and restricted pods cannot add IPC_LOCK: no RDMA"
    if pool.architecture != arch:
        taken = "is" if spec.architecture else "is taken to be"
        return f"its CPUs are {pool.architecture}, and the image {taken} {arch}"
    if pool.capacity != spec.capacity:
        return f"its capacity is {pool.capacity}, the workload's is {spec.capacity}"
    return _host_misfit(spec, pool, model, needs)


def _host_misfit(spec: WorkloadSpec, pool: Pool, model: GpuModel, needs: Needs) -> str | None:
    """Why no node of the pool has the host resources, or None when one has, or nobody knows."""
    node = host(pool, model)
    if node is None:
        return None
    asked = spec.resources
    pod = needs.pod(
        cpu=int(asked.cpu.value * 1000) if asked.cpu else 0,
        memory=int(asked.memory.value) if asked.memory else needs.memory.size,
        disk=int(asked.ephemeral_storage.value) if asked.ephemeral_storage else needs.disk.size,
        gpus=spec.gpu.count,
    )
    if pod.cpu > node.cpu:
        return f"a node leaves {cores(node.cpu)} CPUs for pods, a pod asks for {cores(pod.cpu)}"
    if pod.memory > node.memory:
        why = "" if asked.memory else f": {needs.memory.why}"
        return f"a node leaves {gib(node.memory)} of memory, a pod needs {up(pod.memory)}{why}"
    if node.disk is None or pod.disk is None:
        return None
    if pod.disk > node.disk:
        return f"a node leaves {gib(node.disk)} of disk, a pod needs {up(pod.disk)}"
    part = share(node, spec.gpu.count).disk
    if asked.ephemeral_storage is None and part is not None and pod.disk > part:
        # Unlike host memory, which weights may need, scratch is our own careful figure: it is not
        # worth stranding GPUs for, and whoever knows better can say so.
        return (
            f"the disk that goes with {count(spec.gpu.count, 'GPU')} of a node is {gib(part)}, a "
            f"pod needs {up(pod.disk)} ({needs.disk.why}); if less will do, say so in "
            "resources.ephemeralStorage"
        )
    return None


def _capability(model: GpuModel) -> tuple[int, int]:
    return model.compute_capability or (0, 0)


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)
