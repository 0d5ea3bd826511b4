"""GPUs that a Ray node says it has, against those that its container has."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU736",
    "ray-gpus",
    "warning",
    "A Ray node advertises more or fewer GPUs than its container has",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `num-gpus` of each group of a Ray cluster, where it is a number."""
    group = group_of(pod)
    if group is None or pod.claims or not pod.containers:
        return
    number = read_whole(mapping(group.value.get("rayStartParams")).get("num-gpus"))
    if number is None:
        return
    # KubeRay starts Ray in the first container.
    container = pod.containers[0]
    gpus = container.gpus
    if any(device.count is None for device in container.devices) or number == gpus:
        return
    path = (*group.path, "rayStartParams", "num-gpus")
    fix = Fix("advertise what the container has", (Put(path, str(gpus)),))
    if number > gpus:
        yield RawFinding(
            path,
            f"Ray is told of {number} GPUs in a container with {gpus}: it places tasks on "
            "devices that do not exist",
            note="without `num-gpus`, KubeRay takes the number from the limits",
            fix=fix,
        )
    else:
        left = gpus - number
        yield RawFinding(
            path,
            f"Ray is told of {number} GPUs in a container with {gpus}: no task ever uses "
            f"the other {left}, and no other pod can",
            note="without `num-gpus`, KubeRay takes the number from the limits",
            confidence="likely",
            fix=fix,
        )
