"""The number of GPUs in a model server's settings, and that of its group of pods.

The names of the options are in the table of runtimes. Source of groups: KServe 0.20.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.serving.carried_options import handed_on
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.lazy import kept
from gpuspec.runtimes.options import phrases

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.command_line import Flag
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Parallel, Runtime


_LAUNCHERS = ("mpirun", "torchrun", "accelerate")


class Degree(msgspec.Struct, frozen=True):
    """The number of GPUs over which a server divides its model, times the copies."""

    server: str
    title: str
    tensor: int
    total: int
    flag: Flag | None
    """The tensor parallelism option, or else another one."""
    path: Path
    """The path of the setting; the command if there is none."""
    words: str
    """`--tensor-parallel-size 4 × --pipeline-parallel-size 2`."""
    nodes: int
    local: int | None
    """GPUs of this pod alone, if the number of its own copies is set."""
    sure: bool = True
    """Whether the server uses these settings in any case."""


@kept
def degree_of(container: PodContainer) -> Degree | None:
    """Return the number of GPUs in a server's command line; None if it is unknown."""
    return None if container.words.has(*_LAUNCHERS) is not None else told_degree(container)


def told_degree(container: PodContainer) -> Degree | None:
    """Return the number of GPUs in the settings, whatever starts the server."""
    server = server_of(container)
    parallel = server.parallel if server is not None else None
    if server is None or parallel is None:
        return None
    words = container.words
    if words.flag(*parallel.elsewhere) is not None:
        return None
    tensor, pipeline = server.settings.tensor, server.settings.pipeline
    flags = [
        words.flag(*(tensor.flags if tensor else ()), *parallel.tensor),
        words.flag(*(pipeline.flags if pipeline else ()), *parallel.pipeline),
        words.flag(*parallel.data),
        words.flag(*parallel.more),
    ]
    numbers = [1 if flag is None else flag.number for flag in flags]
    if any(not number for number in numbers):
        return None
    degrees = [number or 1 for number in numbers]
    nodes = words.flag(*parallel.nodes)
    if nodes is not None and not nodes.number:
        return None
    local = words.flag(*parallel.local)
    written_flags = [flag for flag in flags if flag is not None]
    if not written_flags:
        return _untold(container, parallel, server)
    total = 1
    for number in degrees:
        total *= number
    local_ranks = None if local is None else local.number
    if local is not None and local_ranks is None:
        return None
    return Degree(
        server.name,
        server.title,
        degrees[0],
        total,
        written_flags[0],
        written_flags[0].path,
        " × ".join(f"{flag.name} {flag.value}" for flag in written_flags),
        1 if nodes is None else nodes.number or 1,
        None if local_ranks is None else local_ranks * total // degrees[2],
    )


def _untold(container: PodContainer, parallel: Parallel, server: Runtime) -> Degree | None:
    name, title = server.name, server.title
    if any(variable in container.env for variable in parallel.told_by):
        return _handed_on(container, parallel, server)
    variables = [variable for variable in parallel.variables if variable in container.env]
    numbers = [read_whole(container.env_value(variable)) for variable in variables]
    if variables:
        if not all(numbers):
            return None
        total = prod(number or 1 for number in numbers)
        path = (*container.env_path(variables[0]), "value")
        words = " × ".join(
            f"{variable}={number}" for variable, number in zip(variables, numbers, strict=True)
        )
        sure = parallel.confidence == "source"
        return Degree(name, title, numbers[0] or 1, total, None, path, words, 1, None, sure)
    if not parallel.alone or _is_open(container):
        return None
    field = "args" if container.value.get("args") else "command"
    if not container.value.get(field):
        # Nothing at all is said of how it starts.
        return None
    return Degree(name, title, 1, 1, None, container.path(field), "", 1, None)


def _handed_on(container: PodContainer, parallel: Parallel, server: Runtime) -> Degree | None:
    """Return the number of GPUs in the options of a variable for the engine inside the server."""
    handed = handed_on(container)
    if handed is None or container.value.get("args") or container.value.get("command"):
        return None
    row, words = handed
    if any(
        variable in container.env
        for variable in (*parallel.variables, *parallel.told_by)
        if variable != row.variable
    ):
        return None
    start = next(list(phrase) for phrase, program in phrases() if program == row.program)
    engine = {"command": start, "args": [word.text for word in words]}
    degree = told_degree(PodContainer(engine, container.path(), container.stage))
    if degree is None or degree.flag is None:
        return None
    path = (*container.env_path(row.variable), "value")
    return msgspec.structs.replace(
        degree, server=server.name, title=server.title, flag=None, path=path
    )


def _is_open(container: PodContainer) -> bool:
    """Return whether words come from variables, and may include an option."""
    return any(word.text.startswith(("$", "{")) or "$@" in word.text for word in container.words)


def group_gpus(pod: Pod) -> int | None:
    """Return the accelerators of all pods in a pod's group; None if unknown."""
    role = pod.role
    if not role.gang:
        return pod.gpus
    total = 0
    for member in pod.object.pods:
        if not member.role.gang or member.role.count is None:
            return None
        total += member.gpus * member.role.count
    return total


def is_first(pod: Pod) -> bool:
    """Return whether the pod is the first of its group, for which its model is checked once."""
    return not pod.role.gang or pod.base == next(
        gang_pod.base for gang_pod in pod.object.pods if gang_pod.role.gang
    )
