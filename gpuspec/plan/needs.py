"""The needs of one pod on any node: host memory, /dev/shm, disk.

They depend only on the spec and the runtime's table, so that pools can be checked before one is
chosen.
"""

import math

from msgspec import Struct
from msgspec.structs import replace

from gpuspec.enumeration import counted
from gpuspec.fleet import Host
from gpuspec.plan import scratch
from gpuspec.plan.devices import library
from gpuspec.plan.fabric import fabric_pool
from gpuspec.plan.recipe import taken_beside
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import MIB, rounded, up
from gpuspec.spec import Container, InferenceSpec, TrainingFields

# A loader process keeps two batches waiting in /dev/shm; 256Mi holds a large batch of images.
LOADER_SHM = 512 * MIB


class ByteNeed(Struct, frozen=True):
    """An amount in bytes, and its arithmetic in words."""

    size: int
    why: str
    least: int = 0
    """The amount without assumptions about the weights: less certainly is not enough."""


class NeededAmounts(Struct, frozen=True):
    """The least needs of the main container, and the requests of the pod's other containers."""

    memory: ByteNeed
    shm: ByteNeed
    disk: ByteNeed
    beside: Host
    """Sidecars together, and the fabric's daemon, which run as long as the main container."""
    before: Host
    """The largest init container, by resource: each runs alone, before all others."""

    def with_beside(self, more: Host) -> "NeededAmounts":
        """Add the needs of one more container that runs as long as the main one."""
        beside = Host(
            cpu=self.beside.cpu + more.cpu,
            memory=self.beside.memory + more.memory,
            disk=(self.beside.disk or 0) + (more.disk or 0),
            gpus=0,
        )
        return replace(self, beside=beside)

    def pod(self, cpu: int, memory: int, disk: int, gpus: int) -> Host:
        """Return the scheduler's sum for a pod whose main container requests this amount."""
        return Host(
            cpu=max(cpu + self.beside.cpu, self.before.cpu),
            memory=max(memory + self.beside.memory, self.before.memory),
            disk=max(disk + (self.beside.disk or 0), self.before.disk or 0),
            gpus=gpus,
        )


def needs(resolution: Resolution) -> NeededAmounts:
    """Return the needs of one pod.

    From the profile only the fabric of the pods is used.
    """
    shm = _shm(resolution)
    sidecars = [_taken(container) for container in resolution.spec.sidecars]
    first = [_taken(container) for container in resolution.spec.init_containers]
    needed_amounts = NeededAmounts(
        memory=_memory(resolution, shm),
        shm=shm,
        disk=ByteNeed(*scratch.disk(resolution)),
        beside=Host(
            cpu=sum(c.cpu for c in sidecars),
            memory=sum(c.memory for c in sidecars),
            disk=sum(c.disk or 0 for c in sidecars),
            gpus=0,
        ),
        before=Host(
            cpu=max((c.cpu for c in first), default=0),
            memory=max((c.memory for c in first), default=0),
            disk=max((c.disk or 0 for c in first), default=0),
            gpus=0,
        ),
    )
    chosen = fabric_pool(resolution)
    return (
        needed_amounts if chosen is None else needed_amounts.with_beside(taken_beside(chosen.pool))
    )


def _taken(container: Container) -> Host:
    resources = container.resources
    return Host(
        cpu=math.floor(resources.cpu.value * 1000),
        memory=math.floor(resources.memory.value),
        disk=math.floor(resources.ephemeral_storage.value),
        gpus=0,
    )


def _memory(resolution: Resolution, shm: ByteNeed) -> ByteNeed:
    """Return the host memory for loading and running; it includes /dev/shm."""
    weights = resolution.weights.most if resolution.weights else 0
    if isinstance(resolution.spec, InferenceSpec):
        weights = -(-weights // resolution.spec.nodes)
    gpus = resolution.gpus
    run = resolution.runtime.memory.mib(gpus, weights // MIB) * MIB
    per_gpu, base = (
        resolution.runtime.memory.gpu_mib * MIB,
        resolution.runtime.memory.base_mib * MIB,
    )
    words = f"{up(base)} for the processes + {up(per_gpu)} for each of {counted(gpus, 'GPU')}"
    if weights:
        words += f" + {up(run - base - per_gpu * gpus)} to load the weights"
    if shm.size:
        words += f" + {up(shm.size)} of /dev/shm"
    firm = run
    if resolution.weights is not None and resolution.weights.origin != "said":
        firm = base + per_gpu * gpus
    return ByteNeed(rounded(run + shm.size), words, rounded(firm + shm.size))


def _shm(resolution: Resolution) -> ByteNeed:
    """Return bytes of /dev/shm; 0 if the default of 64Mi is enough."""
    spec = resolution.spec
    if spec.resources.shm is not None:
        return ByteNeed(math.floor(spec.resources.shm.value), "set in the spec")
    loaders = spec.data_loaders * resolution.gpus if isinstance(spec, TrainingFields) else 0
    size, words = loaders * LOADER_SHM, []
    if resolution.gpus > 1 or resolution.workers > 1 or resolution.runtime.shm.always:
        queues = resolution.runtime.shm.mib(resolution.gpus) * MIB
        size += queues
        several = f"for {library(resolution)} between GPUs and processes"
        words.append(f"{up(queues)} {'between processes' if resolution.gpus == 1 else several}")
    if loaders:
        words.append(f"{up(LOADER_SHM)} for each of {counted(loaders, 'data loader')}")
    return ByteNeed(rounded(size), " + ".join(words))
