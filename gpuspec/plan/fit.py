"""Why a GPU model, or a pool, cannot run a workload."""

import math
from collections.abc import Iterable

import msgspec

from gpuspec import hardware
from gpuspec.enumeration import counted
from gpuspec.fleet import host, machine_of, share
from gpuspec.hardware import GpuModel
from gpuspec.numbers import read_version
from gpuspec.plan import local_disk, other_resources
from gpuspec.plan.device_options import DeviceOption, device_options, less_reserved, node_of
from gpuspec.plan.fabric import unusable, wants_fabric
from gpuspec.plan.needs import NeededAmounts
from gpuspec.plan.permit import Permit
from gpuspec.plan.recipe import taken_beside
from gpuspec.plan.sharing import share_misfit
from gpuspec.plan.slices import misfit
from gpuspec.plan.wording import cores, gib, up
from gpuspec.products import gpu_code_of
from gpuspec.spec import (
    METHOD_FACTOR,
    BatchInferenceSpec,
    FineTuneSpec,
    InferenceSpec,
    ModelRef,
    Pool,
    Provider,
    WorkloadSpec,
)
from gpuspec.spec.together import pods_together
from gpuspec.spec.weights import on_gpus

# Percent by which a GPU may fall short of the memory asked for: an 80 GB board reports 79.6Gi, and
# who writes 80Gi means that board. The larger gaps are real: a 24 GB L4 has 22.5Gi.
MEMORY_SLACK = 1


def model_misfit(spec: WorkloadSpec, model: GpuModel) -> str | None:
    """Return why a GPU model does not meet the envelope, or None when it does."""
    gpu = spec.gpu
    least = least_memory(spec)
    if least and model.memory * 100 < least * (100 - MEMORY_SLACK):
        requirement = f"a pod requests {gpu.memory} per GPU"
        if gpu.memory is None or least > gpu.memory.value:
            requirement = f"the weights need {gib(least)} on each of {counted(gpu.count, 'GPU')}"
        return f"{model.name} has {gib(model.memory)}, {requirement}"
    if gpu.compute_capability and _capability(model) < read_version(gpu.compute_capability):
        have = ".".join(map(str, model.compute_capability or ("?",)))
        return f"{model.name} has compute capability {have}, below {gpu.compute_capability}"
    code = gpu_code_of(spec.image)
    if code is not None and model.vendor == "nvidia" and not code.runs_on(_capability(model)):
        have = ".".join(map(str, _capability(model)))
        return f"{model.name} has compute capability {have}, for which the image holds no code"
    if gpu.interconnect == "nvlink" and gpu.count > 1 and not model.nvlink:
        return f"{model.name} has no NVLink"
    return None


def architecture(spec: WorkloadSpec, models: Iterable[GpuModel]) -> str:
    """Return the CPU architecture of the image: the spec's, or else amd64.

    arm64 if every acceptable GPU is on such hosts.
    """
    bound = {model.architecture for model in models}
    return spec.architecture or ("arm64" if bound == {"arm64"} else "amd64")


def least_memory(spec: WorkloadSpec) -> int:
    """Return the memory in bytes that each GPU must have: the spec's, and its part of the weights.
    0 if any is enough."""
    requested_memory = math.floor(spec.gpu.memory.value) if spec.gpu.memory else 0
    model: ModelRef | None
    match spec:
        case FineTuneSpec():
            model = spec.base_model
            # Sharded over all GPUs of the run at best; a copy for each needs more.
            memory_factor = METHOD_FACTOR[spec.method]
        case InferenceSpec() | BatchInferenceSpec():
            model = spec.model
            memory_factor = 1.0
        case _:
            return requested_memory
    weights = None if model is None else on_gpus(model, spec)
    if weights is None:
        return requested_memory
    gpus = spec.gpu.count * pods_together(spec)
    return max(requested_memory, math.floor(weights * memory_factor / gpus))


class PoolRequirements(msgspec.Struct, frozen=True):
    """The requirements of a workload on a pool.

    `wanted` are the models in the spec (empty: any), `arch` is the image's architecture, `provider`
    the profile's.
    """

    spec: WorkloadSpec
    wanted: tuple[GpuModel, ...]
    arch: str
    needs: NeededAmounts
    provider: Provider
    permit: Permit
    told: frozenset[str]
    """Further resources that at least one pool states for its nodes."""


def adequate(
    pool_requirements: PoolRequirements, pool: Pool, model: GpuModel
) -> tuple[DeviceOption, ...] | str:
    """Return the device options of a pool that fit the workload, smallest first, or why there are
    none."""
    if reason := _pool_misfit(pool_requirements, pool, model):
        return reason
    options: list[DeviceOption] = []
    reason = None
    for device_option in device_options(pool, model):
        misfit = share_misfit(
            pool_requirements.spec, device_option, pool_requirements.provider
        ) or _too_few(pool_requirements.spec, device_option)
        misfit = (
            misfit
            or _memory_misfit(pool_requirements.spec, device_option)
            or _host_misfit(pool_requirements, pool, model, device_option)
        )
        if misfit is None:
            options.append(device_option)
        reason = misfit or reason
    # The reason of the largest is said: what keeps a workload off it keeps it off smaller ones.
    return tuple(options) if options else reason or "it offers nothing"


def _too_few(spec: WorkloadSpec, device_option: DeviceOption) -> str | None:
    """Return why a node has too few units of the device option for a pod, or None if it has
    enough."""
    if spec.gpu.count <= device_option.on_node:
        return None
    have = counted(device_option.on_node, device_option.unit)
    return f"its nodes have {have}, a pod requests {spec.gpu.count}"


def _pool_misfit(pool_requirements: PoolRequirements, pool: Pool, model: GpuModel) -> str | None:
    """Return why a pool cannot run the workload with any device option, or None."""
    spec = pool_requirements.spec
    if reason := image_misfit(spec, model):
        return reason
    if pool_requirements.wanted and rank_of(model, pool_requirements.wanted) is None:
        return f"`gpu.models` does not list {model.name}"
    if model.whole is not None and not least_memory(spec):
        return (
            f"its GPUs are partitioned ({pool.gpu.partition}), but the spec does not say "
            "what a part must hold: declare gpu.memory to get one"
        )
    if reason := other_resources.misfit(spec, pool, pool_requirements.told):
        return reason
    if reason := _unnamed(pool_requirements, pool, model) or misfit(spec, pool, model):
        return reason
    if spec.gpu.count > pool.gpu.count:
        have = counted(pool.gpu.count, "GPU")
        return f"its nodes have {have}, a pod requests {spec.gpu.count}"
    if reason := model_misfit(spec, model):
        return f"its {reason}"
    if spec.gpu.interconnect == "rdma" and (
        reason := unusable(pool, spec.gpu.count, pool_requirements.permit)
    ):
        return reason
    if pool.architecture != pool_requirements.arch:
        verb = "is" if spec.architecture else "is taken to be"
        return f"its CPUs are {pool.architecture}, and the image {verb} {pool_requirements.arch}"
    if reason := local_disk.misfit(spec, pool):
        return reason
    if pool.capacity != spec.capacity:
        return f"its capacity type is {pool.capacity}, the workload's is {spec.capacity}"
    return None


def image_misfit(spec: WorkloadSpec, model: GpuModel) -> str | None:
    """Return why the image does not run on a GPU, because it is built for another vendor; else
    None."""
    maker = hardware.vendor(hardware.built_for(spec.image) or model.vendor)
    if maker is None or maker.name == model.vendor:
        return None
    return f"the image is built for devices of {maker.title}, and {model.name} is none"


def rank_of(model: GpuModel, gpu_models: tuple[GpuModel, ...]) -> int | None:
    """Return the position of a model, or of the partitioned model, among those that a spec
    names."""
    matching_models = [gpu_model for gpu_model in (model, model.whole) if gpu_model in gpu_models]
    return gpu_models.index(matching_models[0]) if matching_models else None


def _unnamed(pool_requirements: PoolRequirements, pool: Pool, model: GpuModel) -> str | None:
    """Return why a pool is not for a workload without a named model. A model that the profile
    defines is for any workload.

    An image that is built for the vendor's devices counts as naming the model.
    """
    vendor = hardware.vendor(model.vendor)
    if (
        pool_requirements.wanted
        or pool_requirements.spec.gpu.topology
        or pool.gpu.memory is not None
    ):
        return None
    if (
        vendor is None
        or not vendor.named
        or hardware.built_for(pool_requirements.spec.image) == model.vendor
    ):
        return None
    return f"its {model.name} runs only programs built for it: name it in gpu.models"


def _memory_misfit(spec: WorkloadSpec, device_option: DeviceOption) -> str | None:
    """Return why a share has too little memory, or None if it has enough."""
    least = least_memory(spec)
    if device_option.memory * 100 >= least * (100 - MEMORY_SLACK):
        return None
    requirement = f"a pod requests {spec.gpu.memory}"
    if spec.gpu.memory is None or least > spec.gpu.memory.value:
        requirement = f"the weights need {gib(least)}"
    return f"{device_option.one} has {gib(device_option.memory)}, {requirement}"


def _assumed(pool: Pool, model: GpuModel) -> str:
    """Return the source of a node's CPU and memory, if the profile does not state them."""
    if pool.allocatable is not None:
        return ""
    machine = machine_of(pool, model)
    whose = f"the smallest machine with {model.name}" if machine is None else machine.instance
    return f" (assumed: {whose}; set `allocatable` of the pool)"


def _host_misfit(
    pool_requirements: PoolRequirements, pool: Pool, model: GpuModel, device_option: DeviceOption
) -> str | None:
    """Return why no node of the pool has the host resources, or None if one has, or if it is not
    known."""
    node, slots = host(pool, model), node_of(pool, model, device_option)
    if node is None or slots is None:
        return None
    gpus, resources = pool_requirements.spec.gpu.count, pool_requirements.spec.resources
    needs = pool_requirements.needs
    if wants_fabric(pool_requirements.spec) and not unusable(pool, gpus, pool_requirements.permit):
        needs = needs.with_beside(taken_beside(pool))
    pod = needs.pod(
        cpu=math.floor(resources.cpu.value * 1000) if resources.cpu else 0,
        memory=math.floor(resources.memory.value) if resources.memory else needs.memory.least,
        disk=math.floor(resources.ephemeral_storage.value)
        if resources.ephemeral_storage
        else needs.disk.size,
        gpus=gpus,
    )
    if pod.cpu > node.cpu:
        allocatable = f"{cores(node.cpu)} CPUs for pods {less_reserved(pool, 'cpu')}".strip()
        return (
            f"a node leaves {allocatable}{_assumed(pool, model)}, a pod requests {cores(pod.cpu)}"
        )
    if pod.memory > node.memory:
        why = "" if resources.memory else f": {needs.memory.why}"
        allocatable = f"{gib(node.memory)} of memory {less_reserved(pool, 'memory')}".strip()
        return (
            f"a node leaves {allocatable}{_assumed(pool, model)}, a pod needs {up(pod.memory)}{why}"
        )
    if node.disk is None or pod.disk is None:
        return None
    if pod.disk > node.disk:
        allocatable = f"{gib(node.disk)} of disk {less_reserved(pool, 'ephemeral_storage')}".strip()
        return f"a node leaves {allocatable}, a pod needs {up(pod.disk)}"
    part = share(slots, gpus).disk
    if resources.ephemeral_storage is None and part is not None and pod.disk > part:
        # Unlike host memory, which weights may need, scratch is our own careful figure: it is not
        # worth stranding GPUs for, and whoever knows better can say so.
        return (
            f"the disk for {counted(gpus, device_option.unit)} of a node is {gib(part)}, a "
            f"pod needs {up(pod.disk)} ({needs.disk.why}); if less is enough, write it in "
            "resources.ephemeralStorage"
        )
    return None


def _capability(model: GpuModel) -> tuple[int, int]:
    return model.compute_capability or (0, 0)
