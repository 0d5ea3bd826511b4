"""Slots of MPI workers, and processes that mpirun starts, against their GPUs."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.command_line import Flag
from gpuspec.objects.launch import MPI_MAPPING, drives_one, mpi_of
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU735",
    "mpi-slots",
    "error",
    "MPI slots or processes do not match the workers' GPUs",
    fix="unsafe",
)
# One process a node, or several GPUs a process: slots are not GPUs.
_OTHERWISE = ("torchrun", "accelerate", "deepspeed", "torch.distributed.run", "ray")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield MPIJobs whose workers have accelerators, and whose launcher is not told more."""
    roles = {pod.role.name: pod for pod in obj.pods}
    worker, launcher = roles.get("worker"), roles.get("launcher")
    if worker is None or launcher is None or worker.claims or not worker.gpus:
        return
    if not all(map(drives_one, worker.gpu_containers)):
        return
    count = worker.role.count
    slots = obj.spec.get("slotsPerWorker", 1)
    if not count or not isinstance(slots, int) or isinstance(slots, bool) or slots < 1:
        return
    if _is_otherwise(launcher):
        return
    number = _number(launcher)
    yield from _judge(obj, worker.gpus, count, slots, number)


def _judge(
    obj: Object, gpus: int, count: int, slots: int, flag: Flag | None
) -> Iterator[RawFinding]:
    path = obj.path("spec", "slotsPerWorker")
    number = flag.number if flag is not None else None
    room = slots * count
    if flag is not None and number is not None and number > room:
        yield RawFinding(
            flag.path,
            f"`{flag.name} {number}` requests more processes than there are slots ({count} "
            f"workers of {slots}): mpirun exits at once",
            note=f"request at most {count * slots} processes, or add workers or slots",
            severity="error" if _is_open_mpi(obj) else "warning",
        )
    elif slots < gpus:
        predicate = f"is {slots}" if "slotsPerWorker" in obj.spec else "defaults to 1"
        yield RawFinding(
            path,
            f"`slotsPerWorker` {predicate}, but each worker has {gpus} GPUs: MPI starts only "
            f"{slots} of {gpus} processes on each worker, and the other GPUs sit idle",
            severity="warning",
            confidence="likely",
            fix=set_field(path, gpus),
        )
    elif flag is not None and number is not None and number > count * gpus:
        yield RawFinding(
            flag.path,
            f"`{flag.name} {number}` starts {number} processes for {count * gpus} GPUs: several processes "
            "share a GPU, which NCCL rejects",
            note=f"start {count * gpus} processes with `slotsPerWorker: {gpus}`, or request more GPUs",
            severity="warning",
            confidence="likely",
        )
    elif flag is not None and number is not None and number < count * gpus:
        yield RawFinding(
            flag.path,
            f"`{flag.name} {number}` starts {number} processes for {count * gpus} GPUs: the "
            "other GPUs sit idle",
            note=f"start {count * gpus} processes, or request fewer GPUs",
            severity="warning",
            confidence="likely",
        )


def _is_open_mpi(obj: Object) -> bool:
    return bool(obj.spec.get("mpiImplementation", "OpenMPI") == "OpenMPI")


def _is_otherwise(launcher: Pod) -> bool:
    for container in launcher.containers:
        words = container.words
        if words.has(*_OTHERWISE) is not None or words.flag(*MPI_MAPPING) is not None:
            return True
        several = words.flag("-g", "--ngpus")
        if several is not None and (several.number or 0) != 1:
            return True
    return False


def _number(launcher: Pod) -> Flag | None:
    """Return the number of processes of the launcher's first mpirun."""
    return next((flag for flag in map(mpi_of, launcher.containers) if flag is not None), None)
