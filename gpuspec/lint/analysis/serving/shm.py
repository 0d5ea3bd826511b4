"""`/dev/shm` of a container: its type, its size, and the number of processes that use it.

A container has 64 MiB by default; a memory-backed volume counts against the memory limits of the
pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.security.users import mounted
from gpuspec.lint.analysis.serving.agents import only_waits
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import quantity
from gpuspec.objects.launch import MPI_MAPPING, launch_of, mpi_of
from gpuspec.objects.lazy import kept
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

SHM = "/dev/shm"
MIB = 2**20

# Each process holds a GPU or more, and they meet within the pod.
_PARALLEL = (
    ("--tensor-parallel-size", "-tp", "--tp-size", "--tp", "--num-shard"),
    ("--pipeline-parallel-size", "-pp", "--pp-size", "--pp"),
    ("--data-parallel-size", "-dp", "--dp-size", "--dp"),
)
_PARALLEL_ENV = ("NUM_SHARD", "NIM_TENSOR_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE")
# Programs that use several GPUs, and let no processes meet.
_SAMPLES = (
    "cuda-sample",
    "devicequery",
    "dcgm",
    "gpu-burn",
    "gpu_burn",
    "hl-smi",
    "nccl-test",
    "nvbandwidth",
    "bandwidthtest",
    "nvidia-smi",
    "rocm-smi",
    "sleep",
    "vectoradd",
    "_perf",
)


class Shm(msgspec.Struct, frozen=True):
    """The volume at `/dev/shm`."""

    kind: Literal["memory", "host", "other"]
    """`memory`: a volume of the pod; `host`: the node's; `other`: a volume that is not in
    memory."""
    size: Quantity | None
    """Its size limit."""
    path: Path


def shm_of(pod: Pod, container: PodContainer) -> Shm | None:
    """Return the volume at a container's `/dev/shm`; None for the default of 64 MiB."""
    if pod.spec.get("hostIPC") is True:
        return Shm("host", None, pod.path("hostIPC"))
    if SHM not in container.mounts:
        return None
    volume = mounted(pod, container, SHM)
    index, entry = container.mounts[SHM]
    if volume is None:
        return Shm("other", None, container.path("volumeMounts", index))
    name = entry.get("name")
    path = pod.path("volumes", pod.volumes[str(name)][0])
    if is_memory(volume):
        return Shm("memory", quantity(volume["emptyDir"].get("sizeLimit")), path)
    return Shm("host" if "hostPath" in volume else "other", None, path)


def is_memory(volume: dict[str, Any]) -> bool:
    """Return whether a volume is in memory."""
    return mapping(volume.get("emptyDir")).get("medium") == "Memory"


@kept
def memory_volumes(pod: Pod) -> list[tuple[str, int, dict[str, Any]]]:
    """Return the volumes in memory: name, index, and their `emptyDir`."""
    return [
        (name, index, volume["emptyDir"])
        for name, (index, volume) in pod.volumes.items()
        if is_memory(volume)
    ]


def is_given(pod: Pod) -> bool:
    """Return whether an operator, or another object, may mount one, as KubeRay and runtimes do."""
    owner = pod.object
    by_kuberay = owner.group == "ray.io" or owner.traits.clusters
    return by_kuberay or not is_whole(pod) or "containers" not in pod.spec


def ranks(container: PodContainer) -> int:
    """Return the number of processes in the container that each hold a GPU and communicate; 1 if
    unknown."""
    gpus = container.gpus
    server = server_of(container)
    if server is not None and server.shm.threads:
        return 1
    product = 1
    for names in _PARALLEL:
        flag = container.words.flag(*names)
        product *= (flag.number or 1) if flag is not None else 1
    for name in _PARALLEL_ENV:
        value = read_whole(container.env_value(name))
        if value is not None and product == 1:
            product = value
    launch = launch_of(container) if product == 1 else None
    if launch is not None:
        number = None if launch.processes is None else launch.processes.number
        product = gpus if number is None else number
    elif product == 1:
        product = mpi_ranks(container)
    return max(1, min(product, gpus))


def mpi_ranks(container: PodContainer) -> int:
    """Return the number of processes that the container's own mpirun starts; 1 if unknown, or if it
    starts them in other pods."""
    number = mpi_of(container)
    if number is None or container.words.flag(*MPI_MAPPING) is not None:
        return 1
    return number.number or 1


@kept
def is_sample(container: PodContainer) -> bool:
    """Return whether it only tests its GPUs, waits, or measures them."""
    if only_waits(container):
        return True
    # No name of theirs goes over a line's end.
    text = "\n".join([container.image, *[word.text for word in container.words]]).lower()
    return any(sample in text for sample in _SAMPLES)


def goes_around(container: PodContainer) -> bool:
    """Return whether a known server sends no data between GPUs through it."""
    server = server_of(container)
    return server is not None and server.shm.threads and not server.shm.gpu_mib


def enough(container: PodContainer, count: int) -> tuple[Quantity, bool]:
    """Return a sufficient size for this number of GPUs, and whether it is the server's figure or an
    assumption."""
    server = server_of(container) or runtimes.get(runtimes.CUSTOM)
    size = Quantity.of_bytes(server.shm.mib(count) * MIB)
    return size, server.shm.confidence == "source"


@kept
def memory_limit(pod: Pod) -> Quantity | None:
    """Return the total memory limit of the pod's containers; None if one has no limit."""
    whole = quantity(mapping(mapping(pod.spec.get("resources")).get("limits")).get("memory"))
    if whole is not None:
        return whole
    limits: list[Quantity] = []
    for container in pod.every:
        if container.stage in ("main", "sidecar"):
            limit = quantity(container.limits.get("memory"))
            if limit is None:
                return None
            limits.append(limit)
    if len(limits) == 1:
        return limits[0]
    return Quantity.of_bytes(sum(limit.int_value for limit in limits))
