"""A model divided over more GPUs than its pods have, or over fewer."""

from collections.abc import Iterator

import msgspec

from gpuspec.enumeration import counted
from gpuspec.lint.analysis.gangs.parallel import Degree, degree_of, group_gpus, told_degree
from gpuspec.lint.analysis.serving.offload import on_cpu
from gpuspec.lint.analysis.serving.option_files import merged
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.launch import drives_one, mpi_of
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU731",
    "parallel-degree",
    "error",
    "Tensor, pipeline and data parallelism do not multiply to the number of GPUs",
    fix="unsafe",
)
_REMOTE = "trtllm-llmapi-launch"
"""Makes of the ranks that mpirun starts the workers of one server."""
_KINDS = {("batch", "Job"), ("serving.knative.dev", "Service")}
"""Beside those whose pods are as they are written: an operator of these adds no GPU."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that are known: what their flags multiply to, against the GPUs of their
    group."""
    for rank_container in pod.containers:
        yield from _ranks(rank_container)
    owner = pod.object
    is_known = owner.traits.as_written or (owner.group, owner.kind) in _KINDS
    if not (is_known or owner.traits.complete_with_containers) or not is_whole(pod):
        return
    if pod.claims or len(pod.gpu_containers) != 1:
        return
    container = pod.gpu_containers[0]
    if container.stage != "main" or not container.gpus:
        return
    if len({device.name for device in container.devices}) > 1:
        # Which of two makers' devices the server uses is not known.
        return
    if not drives_one(container):
        # How many slices one process sees is another rule's.
        return
    cpu = on_cpu(container)
    if cpu is not None:
        is_single = container.gpus == 1
        idle_gpus = (
            "the GPU is held and does" if is_single else f"{container.gpus} GPUs are held and do"
        )
        yield RawFinding(
            cpu.path,
            f"{cpu.words}: {idle_gpus} almost nothing",
            note="remove the option that selects the CPU, or request no GPU",
            severity="warning",
            confidence="likely",
        )
        return
    degree, related = _degree(pod, container, context)
    if degree is None or (not pod.role.gang and container.words.has("ray") is not None):
        # What Ray hands out may be in other pods.
        return
    have = group_gpus(pod) if degree.nodes == 1 else container.gpus * degree.nodes
    need = degree.total
    where = "the group has" if pod.role.gang else "the pod has"
    if degree.local is not None:
        have, need, where = container.gpus, degree.local, "the pod has"
    if have is None or need == have:
        return
    if need > have:
        yield RawFinding(
            degree.path,
            f"`{degree.words}` needs {need} GPUs, but {where} {have}: {degree.title} exits at "
            "startup",
            note=f"divide the model over {counted(have, 'GPU')}, or request {need}",
            fix=_fix(pod, degree, have),
            related=related,
            severity=None if degree.sure else "warning",
            confidence="certain" if degree.sure else "likely",
        )
    elif not pod.role.gang and degree.nodes == 1:
        subject = f"`{degree.words}` uses" if degree.words else f"{degree.title} by default uses"
        yield RawFinding(
            degree.path,
            f"{subject} {need} of the {have} GPUs that {where}: the other GPUs sit idle",
            note=f"divide the model over {have} GPUs, or request {need}",
            severity="warning",
            confidence="certain" if degree.words and degree.sure else "likely",
            fix=_fix(pod, degree, have),
            related=related,
        )


def _ranks(container: PodContainer) -> Iterator[RawFinding]:
    """Check that mpirun starts all workers of a server with several ranks."""
    mpi = mpi_of(container) if container.words.has(_REMOTE) is not None else None
    degree = None if mpi is None else told_degree(container)
    if mpi is None or degree is None or not mpi.number or degree.total == mpi.number:
        return
    subject = f"`{degree.words}` divides" if degree.words else f"{degree.title} divides"
    yield RawFinding(
        degree.path,
        f"{subject} the model over {degree.total}, but `{mpi.name} {mpi.value}` starts "
        f"{mpi.number} ranks: {degree.title} exits at startup",
        note=f"set `{mpi.name} {degree.total}`",
        severity="warning",
        confidence="likely",
    )


def _degree(
    pod: Pod, container: PodContainer, context: Context
) -> tuple[Degree | None, tuple[RelatedPlace, ...]]:
    """Return the degree from the command line and from the options file that it names."""
    degree = degree_of(container)
    whole = merged(pod, container, context.collection) if degree is None else None
    file_degree = None if whole is None else degree_of(whole.container)
    if whole is None or file_degree is None:
        return degree, ()
    config = whole.source.object
    place = RelatedPlace(config.number, config.path("data", whole.source.key), "the options file")
    return msgspec.structs.replace(file_degree, path=whole.path, flag=None), (place,)


def _fix(pod: Pod, degree: Degree, have: int) -> Fix | None:
    """Return a fix of the tensor flag's number, if nothing else divides the model and the number is
    a word of its own."""
    flag = degree.flag
    if flag is None or degree.total != degree.tensor or degree.nodes != 1:
        return None
    flag_value = at(pod.object.value, flag.path[len(pod.object.base) :])
    if flag_value == flag.value:
        return Fix(
            f"set `{flag.name} {have}`",
            (Put(flag.path, str(have)),),
        )
    if flag_value == f"{flag.name}={flag.value}":
        return Fix(
            f"set `{flag.name} {have}`",
            (Put(flag.path, f"{flag.name}={have}"),),
        )
    return None
