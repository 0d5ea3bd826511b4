"""A launcher that starts more processes than the container has GPUs, or fewer."""

from collections.abc import Iterator

import msgspec

from gpuspec.enumeration import counted
from gpuspec.lint.analysis.reading.mounted import mounted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.launch import LauncherCall, drives_one, launch_of, mpi_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU732",
    "processes-and-gpus",
    "warning",
    "A launcher starts more or fewer processes than the container has GPUs",
)
_FACTORY = "NPROC_PER_NODE"
_ENV = ("PET_NPROC_PER_NODE", "NPROC_PER_NODE", "LOCAL_WORLD_SIZE")


class ProcessCount(msgspec.Struct, frozen=True):
    """Processes on one node."""

    number: int
    said: str
    path: Path
    certain: bool = True


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield torchrun, torchtune, Accelerate and DeepSpeed, by their flags, their operator's field or their
    default."""
    if pod.claims or pod.object.traits.shared:
        return
    for container in pod.containers:
        if not container.gpus or not drives_one(container):
            continue
        launch = launch_of(container)
        if pod.object.traits.mpi:
            continue
        if launch is None:
            yield from _of_others(pod, container)
            continue
        if launch.told:
            count = _of_file(pod, container, launch, context)
        else:
            count = _count(pod, container, launch)
        if count is not None:
            yield from _judge(container, launch, count)


def _of_others(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield what starts more processes than the container has devices, and is no launcher of
    torchrun's kind: LLaMA Factory by its variable, MPI that starts Python in one pod."""
    words = container.words
    number, name, path = 0, "", container.path("command")
    flag = mpi_of(container)
    hosts = words.flag("-H", "--host", "-host", "--hosts", "--hostfile", "-hostfile")
    if words.has("llamafactory-cli") is not None and _FACTORY in container.env:
        number = read_whole(container.env_value(_FACTORY) or "") or 0
        name, path = f"{_FACTORY}={number}", (*container.env_path(_FACTORY), "value")
    elif flag is not None and words.has("python", "python3") is not None:
        is_alone = hosts is None or (hosts.value or "").startswith("localhost")
        if is_alone and (pod.role.count or 1) == 1:
            number, name, path = flag.number or 0, f"{flag.name} {flag.value}", flag.path
    if number > container.gpus:
        yield RawFinding(
            path,
            f"`{name}` starts {number} processes in a container with {counted(container.gpus, 'GPU')}: the "
            "extra processes have no device",
            note=f"start {counted(container.gpus, 'process')}, or request {number} GPUs",
            confidence="likely",
        )


def _count(pod: Pod, container: PodContainer, launch: LauncherCall) -> ProcessCount | None:
    flag = launch.processes
    if flag is not None:
        number = flag.number
        if launch.program == "accelerate" and number is not None:
            machines = 1 if launch.nodes is None else launch.least_nodes
            if not machines or number % machines:
                return None
            number //= machines
        return ProcessCount(number, f"`{flag.name} {flag.value}`", flag.path) if number else None
    if launch.program != "torchrun":
        # The others take all that they see.
        return None
    field = pod.object.traits.processes
    if field:
        return _told(at(pod.object.value, field), str(field[-1]), pod.object.path(*field))
    if any(name in container.env for name in _ENV) or container.value.get("envFrom"):
        return None
    return ProcessCount(1, "no `--nproc-per-node`", launch.word.path, certain=False)


def _of_file(
    pod: Pod, container: PodContainer, launch: LauncherCall, context: Context
) -> ProcessCount | None:
    """Return the processes that Accelerate reads from a file of a ConfigMap."""
    file = container.words.flag("--config-file")
    if launch.program != "accelerate" or file is None or launch.nodes or launch.processes:
        return None
    config = mounted(pod, container, file.value or "", context.collection)
    if config is None or config.settings.get("distributed_type") in ("NO", None):
        return None
    number, machines = (
        whole(config.settings.get(name), 1) for name in ("num_processes", "num_machines")
    )
    if not number or not machines or number % machines or "num_processes" not in config.settings:
        return None
    return ProcessCount(number // machines, f"`num_processes: {number}`", file.path, certain=False)


def _told(value: object, name: str, path: Path) -> ProcessCount | None:
    number = read_whole(value) if isinstance(value, str) else value
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return ProcessCount(number, f"`{name}: {value}`", path)
    return None


def _judge(
    container: PodContainer, launch: LauncherCall, count: ProcessCount
) -> Iterator[RawFinding]:
    gpus = container.gpus
    if count.number > gpus:
        yield RawFinding(
            count.path,
            f"{count.said} starts {count.number} processes in a container with {gpus} "
            f"GPU{'s' if gpus > 1 else ''}: the extra processes have no device",
            note=f"start {gpus} process{'es' if gpus > 1 else ''}, or request {count.number} GPUs",
            confidence="likely",
        )
    elif count.number < gpus:
        yield RawFinding(
            count.path,
            f"{launch.word.text} has {count.said}, and starts {count.number} "
            f"process{'es' if count.number > 1 else ''} for {gpus} GPUs: the other GPUs sit idle",
            note=f"start {gpus} processes, or request {counted(count.number, 'GPU')}",
            confidence="likely",
        )
