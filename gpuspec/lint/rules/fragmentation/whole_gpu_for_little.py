"""A whole GPU for a program that is configured to use little of its memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.placement.nodes import whole_device
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.sharing.sharing import lands, splits
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.numbers import read_decimal
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU409",
    "whole-gpu-for-little",
    "warning",
    "A whole GPU runs a program that is limited to half of its memory or less",
    gives_way=("GPU304",),
)

# What one process may take of the memory, by variable or option. Sources: JAX, GPU memory
# allocation; TensorFlow Serving, main.cc.
_VARIABLES = ("XLA_PYTHON_CLIENT_MEM_FRACTION",)
_FLAGS = ("--per_process_gpu_memory_fraction",)
_LITTLE = 0.5


class GpuFraction(msgspec.Struct, frozen=True):
    """A fraction and its path."""

    part: float
    path: Path


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers alone on whole GPUs whose configuration leaves half of the memory."""
    device = whole_device(pod)
    if device is None or device.what.vendor != "nvidia" or len(pod.gpu_containers) != 1:
        return
    gpu_fraction = _told(pod.gpu_containers[0])
    if (
        gpu_fraction is None
        or gpu_fraction.part > _LITTLE
        or splits(pod, device, context) is not None
    ):
        return
    pools = lands(pod, context)
    if any(pool.pool.sharing is not None for pool in pools) or (context.cluster and not pools):
        return
    part = f"{gpu_fraction.part:g}"
    if not pools:
        yield RawFinding(
            gpu_fraction.path,
            f"the program uses only {part} of the GPU's memory, but `{device.name}` is a whole "
            "GPU unless the nodes share their GPUs: the rest stays unused",
            note=(
                "request a MIG slice or a share of a GPU, and name a profile (`-c`) to see what "
                "the nodes have"
            ),
            severity="info",
            confidence="possible",
        )
        return
    smallest = min(pools, key=lambda pool: pool.model.memory)
    memory = smallest.model.memory
    yield RawFinding(
        gpu_fraction.path,
        f"the program uses only {part} of the memory of a whole {smallest.model.name}: "
        f"{math.floor(memory * (1 - gpu_fraction.part)) >> 30}Gi of its {memory >> 30}Gi stay "
        "unused, and no other pod can use them",
        note=_instead(smallest, gpu_fraction.part),
        confidence="likely",
    )


def _told(container: PodContainer) -> GpuFraction | None:
    server = server_of(container)
    setting = server.settings.memory_fraction if server else None
    flag = container.words.flag(*_FLAGS, *(setting.flags if setting else ()))
    if flag is not None:
        part = _number(flag.value)
        return None if part is None else GpuFraction(part, flag.path)
    names = [*_VARIABLES, *(e.partition("=")[0] for e in (setting.environment if setting else ()))]
    for name in names:
        part = _number(container.env_value(name))
        if part is not None:
            return GpuFraction(part, (*container.env_path(name), "value"))
    return None


def _number(text: str | None) -> float | None:
    number = read_decimal((text or "").strip())
    return number if number is not None and 0 < number <= 1 else None


def _instead(advertising_pool: AdvertisingPool, part: float) -> str:
    need = advertising_pool.model.memory * part
    mig_profiles = [p for p in advertising_pool.model.mig if p.memory >= need and p.max_per_gpu > 1]
    if mig_profiles:
        best = min(mig_profiles, key=lambda p: (p.memory, -p.max_per_gpu))
        return f"request a MIG slice `{best.name}`: a GPU has {best.max_per_gpu} of them"
    return "request a shared or a smaller GPU"
