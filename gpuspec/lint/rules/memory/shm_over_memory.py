"""A volume in memory that is larger than the memory the pod may use."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.shm import memory_limit, memory_volumes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU904",
    "memory-volume-over-limit",
    "warning",
    "A memory-backed volume is as large as the pod's memory limit",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Compare size limits with memory limits: the content of the volume counts as memory too."""
    volumes = memory_volumes(pod)
    limit = memory_limit(pod) if volumes else None
    if limit is None:
        return
    for name, index, volume in volumes:
        size = quantity(volume.get("sizeLimit"))
        if size is None or size.int_value < limit.int_value or not limit.int_value:
            continue
        yield RawFinding(
            pod.path("volumes", index, "emptyDir", "sizeLimit"),
            f"`sizeLimit` of volume `{name}` is {size}, but its files count against the pod's "
            f"memory limit of {limit}: the container is killed with exit code 137 before the "
            "volume is full",
            note="raise the memory limit by the volume's size, or make the volume smaller",
        )
