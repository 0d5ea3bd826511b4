"""A GPU container that names no host memory."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.shm import is_sample
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU108",
    "no-memory",
    "warning",
    "A GPU container sets no host memory",
    gives_way=("GPU107",),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield GPU containers with neither a request nor a limit of memory."""
    bare = [
        gpu_container
        for gpu_container in pod.gpu_containers
        if "memory" not in gpu_container.limits
        and "memory" not in gpu_container.requests
        and gpu_container.gpus
    ]
    if not bare or not is_whole(pod):
        return
    whole = mapping(pod.spec.get("resources"))
    if "memory" in {*mapping(whole.get("requests")), *mapping(whole.get("limits"))}:
        return
    if _has_default(pod, context):
        return
    has_memory = any(
        "memory" in {*main_container.requests, *main_container.limits}
        for main_container in pod.every
        if main_container.stage == "main"
    )
    for container in bare:
        if is_sample(container):
            # What only looks at the GPU loads nothing.
            continue
        if container.stage == "init" and has_memory:
            # The scheduler counts the larger of the two, and they do not run at the same time.
            continue
        yield RawFinding(
            container.path(container.resources_at),
            f"{f'container `{container.name}`' if container.name else f'the {pod.object.kind}'} "
            "sets no memory request, so the scheduler counts 0: the node fills up, and this "
            "container is among the first to be killed",
            note="set a request that covers loading the weights or the data, and an equal limit",
            confidence="likely",
        )


def _has_default(pod: Pod, context: Context) -> bool:
    """Return whether a LimitRange of its namespace fills it in."""
    for limits in context.collection.within("", "LimitRange", pod.object.namespace):
        if limits.namespace != pod.object.namespace:
            continue
        for row in items(limits.spec.get("limits")):
            rows = mapping(row)
            if "memory" in {*mapping(rows.get("default")), *mapping(rows.get("defaultRequest"))}:
                return True
    return False
