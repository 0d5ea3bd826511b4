"""The GPUs that a Ray node declares, compared with those of its container.

Source: KubeRay 1.7, controllers/ray/common/pod.go (`addWellKnownAcceleratorResources`, of limits
alone) and controllers/ray/utils/resources.go (`IsGPUResourceKey`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.enumeration import counted
from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.lint.analysis.gangs.rays import RayGroup

RULE = Rule(
    "GPU736",
    "ray-gpus",
    "warning",
    "A Ray node advertises more or fewer GPUs than its container has",
    fix="unsafe",
)

_COUNTED = re.compile(r".*gpu|.*nvidia\.com/mig-[0-9]+g\.[0-9]+gb")
_MAKERS = ("nvidia", "amd", "intel")
"""Of GPUs: other accelerators are custom resources of Ray."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check `num-gpus` of each group of a Ray cluster, if it is a number."""
    group = group_of(pod)
    if group is None or pod.claims or not pod.containers:
        return
    yield from _behind_another(pod)
    params = mapping(group.value.get("rayStartParams"))
    number = read_whole(params.get("num-gpus"))
    if number is None:
        if "num-gpus" not in params:
            yield from _uncounted(pod, group)
        return
    # KubeRay starts Ray in the first container.
    container = pod.containers[0]
    gpus = container.gpus
    if any(device.count is None for device in container.devices) or number == gpus:
        return
    path = (*group.path, "rayStartParams", "num-gpus")
    fix = set_field(path, str(gpus))
    if number > gpus:
        yield RawFinding(
            path,
            f"`num-gpus` is {number}, but the container requests {counted(gpus, 'GPU') if gpus else 'no GPU'}: "
            "Ray places tasks on devices that do not exist",
            note="remove `num-gpus`: KubeRay then takes the number from the limits",
            fix=fix,
        )
    else:
        unused_gpus = gpus - number
        yield RawFinding(
            path,
            f"`num-gpus` is {number}, but the container requests {counted(gpus, 'GPU')}: no task and no "
            f"other pod can use the remaining {unused_gpus}",
            note="remove `num-gpus`: KubeRay then takes the number from the limits",
            confidence="likely",
            fix=fix,
        )


def _behind_another(pod: Pod) -> Iterator[RawFinding]:
    """Yield a container with GPUs that is not the first, in which KubeRay starts Ray."""
    first, *others = pod.containers
    holder = next((container for container in others if container.gpus), None)
    if holder is None or first.devices:
        return
    yield RawFinding(
        holder.path("name"),
        f"KubeRay starts Ray in the first container `{first.name}`, but the GPUs are in "
        f"`{holder.name}`: Ray has no GPU, and tasks that need one wait endlessly",
        note=f"list `{holder.name}` first",
    )


def _uncounted(pod: Pod, group: RayGroup) -> Iterator[RawFinding]:
    """Yield a container whose GPUs have names by which KubeRay knows none."""
    params = mapping(group.value.get("rayStartParams"))
    if group.value.get("resources") or "GPU" in str(params.get("resources")):
        return
    container = pod.containers[0]
    devices = [device for device in container.devices if device.name in container.limits]
    if not devices or any(_COUNTED.fullmatch(device.name) for device in devices):
        return
    first = devices[0]
    resource = hardware.resource(first.name)
    if resource is None or resource.vendor not in _MAKERS or not container.gpus:
        return
    path = (*group.path, "rayStartParams", "num-gpus")
    yield RawFinding(
        path,
        f"KubeRay does not count `{first.name}` as a GPU and sets no `num-gpus`: Ray's "
        "autoscaler sees a group without GPUs, and tasks that need them may wait endlessly",
        note=(
            "set `num-gpus`: KubeRay counts only names that end in `gpu`, and MIG slices such as "
            "`nvidia.com/mig-1g.10gb`"
        ),
        confidence="likely",
        fix=set_field(path, str(container.gpus)),
    )
