"""An image that holds no code for the GPUs that the pod may get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.devices.makers import NVIDIA, maker
from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.products import GpuCode, gpu_code_of

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU881",
    "image-not-for-gpu",
    "warning",
    "An image holds no code for the GPUs that its pod gets",
    gives_way=("GPU203", "GPU425", "GPU849"),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images whose builds differ by the GPU, against every model that the pod may get."""
    for gpu_container in pod.gpu_containers:
        code = gpu_code_of(gpu_container.image)
        if code is None or maker(gpu_container) != NVIDIA:
            continue
        models = [model for model in gpu_models(pod, context) if model.compute_capability]
        others = [model for model in models if not code.runs_on(model.compute_capability or ())]
        if others:
            yield _finding(gpu_container, code, others, all_of_them=len(others) == len(models))


def _finding(
    gpu_container: PodContainer, code: GpuCode, others: Sequence[GpuModel], *, all_of_them: bool
) -> RawFinding:
    names = " and ".join(sorted({f"`{model.name}`" for model in others}))
    capability = others[0].compute_capability or (0, 0)
    where = "" if all_of_them else ", which the pod may get"
    instead = code.build_for(capability)
    return RawFinding(
        gpu_container.path("image"),
        f"the image contains no code for {names} (compute capability "
        f"{capability[0]}.{capability[1]}){where}: the program {code.says}",
        note=f"use {instead}"
        if instead
        else "use another GPU model: no build of this image runs on this model",
        confidence="likely",
    )
