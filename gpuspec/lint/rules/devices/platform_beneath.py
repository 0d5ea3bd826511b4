"""A pod with GPUs for which the GPU platform of the set is too old, too new or set otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.devices.contradictions import (
    METADATA,
    finding_of,
    fits,
    has_one_of,
    met_all,
)
from gpuspec.lint.analysis.devices.makers import NVIDIA, maker
from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.products import contradictions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU968",
    "platform-beneath",
    "warning",
    "A pod does not run on the GPU platform that the set installs",
    gives_way=("GPU852",),
)
_POD = "pod"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods with NVIDIA's GPUs, by the table of what does not go together."""
    container = next((taker for taker in pod.gpu_containers if maker(taker) == NVIDIA), None)
    if container is None:
        return
    settings: dict[str, Any] = {**pod.spec, METADATA: pod.metadata}
    for row in contradictions_of(_POD):
        spots = met_all(row.when, settings)
        if spots is None or not fits(row, context, pod.object):
            continue
        if row.gpus and not has_one_of(row.gpus, gpu_models(pod, context)):
            continue
        path = pod.path(*spots[0].path) if spots else container.path("resources")
        yield finding_of(row, spots, path, None)
