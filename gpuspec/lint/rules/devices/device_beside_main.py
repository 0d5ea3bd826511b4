"""A GPU in a different container than the one in which the operator starts the server."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU791",
    "device-beside-main",
    "warning",
    "The GPU is requested by a container other than the server's, because of its name",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that their operator completes by a container's name, if no container has that
    name."""
    main = pod.object.traits.main_container
    if any(container.name == main for container in pod.containers):
        return
    asking = [container for container in pod.containers if container.devices]
    for container in asking:
        path = container.path("name")
        yield RawFinding(
            path,
            f"the server's container must be named `{main}`: container `{container.name}` becomes "
            "a second container and holds the GPU, and the server gets none",
            confidence="likely",
            fix=Fix(f"rename the container to `{main}`", (Put(path, main),))
            if len(asking) == 1
            else None,
        )
