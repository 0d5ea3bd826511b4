"""Host memory for what GPUs have no room for, beyond the container's limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import read_decimal
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Offload

RULE = Rule(
    "GPU922",
    "offload-too-large",
    "warning",
    "A server offloads more to host memory than its container's limit",
)

_GB = 10**9


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield known servers that offload, against the container's memory limit."""
    for gpu_container in pod.gpu_containers:
        server, limit = server_of(gpu_container), quantity(gpu_container.limits.get("memory"))
        if server is None or limit is None or not gpu_container.gpus:
            continue
        for offload in server.offloads:
            said = _said(gpu_container, offload)
            if said is None:
                continue
            words, path, size = said
            whole = size * gpu_container.gpus if offload.each else size
            if whole * _GB <= limit.int_value:
                continue
            times = (
                f" for each of {gpu_container.gpus} GPUs, {whole:g} GB in all"
                if offload.each
                else ""
            )
            yield RawFinding(
                path,
                f"`{words}` takes {size:g} GB of host memory{times}, but the memory limit is "
                f"{limit}: {server.title} is killed with exit code 137 when it reserves this "
                "memory",
                confidence="likely",
            )


def _said(container: PodContainer, offload: Offload) -> tuple[str, Path, float] | None:
    """Return how much it is told to take, in what words and where; None where it is told
    nothing."""
    name, _, off = offload.unless.partition("=")
    if name and (container.env_value(name) or "").lower() == off:
        return None
    if offload.only and container.words.flag(offload.only) is None:
        return None
    flag = container.words.flag(*offload.options) if offload.options else None
    if flag is not None:
        words, value, path = f"{flag.name} {flag.value}", flag.value, flag.path
    elif offload.environment and offload.environment in container.env:
        value = container.env_value(offload.environment)
        words, path = (
            f"{offload.environment}={value}",
            (*container.env_path(offload.environment), "value"),
        )
    else:
        return None
    size = read_decimal(value)
    return None if not size else (words, path, size)
