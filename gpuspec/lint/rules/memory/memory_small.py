"""A memory limit that is too small for a server to load a model."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.default_limits import default_limit
from gpuspec.lint.analysis.serving.hub import named_in_hub
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.shm import MIB, shm_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Quantity
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU907",
    "memory-below-loading",
    "warning",
    "A server's memory limit is below what loading its model needs",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield known servers with GPUs and a limit; the model's size is used if the configuration has
    it."""
    for gpu_container in pod.gpu_containers:
        server, limit = server_of(gpu_container), quantity(gpu_container.limits.get("memory"))
        if server is None or not gpu_container.gpus:
            continue
        if limit is None:
            if "memory" not in gpu_container.requests:
                yield from _default(pod, gpu_container, server, context)
            continue
        base = server.memory.mib(gpu_container.gpus, 0) * MIB
        if limit.int_value < base * 3 // 4:
            # The table is on the careful side.
            yield RawFinding(
                gpu_container.path(gpu_container.resources_at, "limits", "memory"),
                f"the memory limit of {limit} is below what {server.title} uses with "
                f"{gpu_container.gpus} GPU{'s' * (gpu_container.gpus > 1)} before any weights, "
                f"about {Quantity.of_bytes(base)}: the server is killed with exit code 137 while "
                "it loads",
                note=f"raise the memory limit above {Quantity.of_bytes(base)}: host memory holds the device contexts, the "
                "processes and, while they load, the weights",
                confidence="likely",
            )
            continue
        model = named_in_hub(gpu_container, server) if context.facts.models else None
        size = context.facts.models.get(model.name) if model is not None else None
        if size is None:
            continue
        shm = shm_of(pod, gpu_container)
        inside = shm.size.int_value if shm is not None and shm.size is not None else 0
        needed = server.memory.mib(gpu_container.gpus, -(-size.int_value // MIB)) * MIB + inside
        if limit.int_value < needed:
            yield RawFinding(
                gpu_container.path(gpu_container.resources_at, "limits", "memory"),
                f"the memory limit of {limit} is too small for {size} of weights and "
                f"{server.title}, about {Quantity.of_bytes(needed)} in all: the kernel drops pages of the "
                "weights and reads them again, and loading takes several times as long",
                note=f"raise the memory limit to {Quantity.of_bytes(needed)}",
                severity="info",
                confidence="possible",
            )


def _default(
    pod: Pod, container: PodContainer, server: Runtime, context: Context
) -> Iterator[RawFinding]:
    """Yield a limit that comes from the namespace's default."""
    default = default_limit(pod, "memory", context)
    base = server.memory.mib(container.gpus, 0) * MIB
    if default is None or default.most.int_value >= base * 3 // 4:
        return
    yield RawFinding(
        container.path(container.resources_at),
        f"`{container.name}` has no memory limit, so LimitRange `{default.limits.name}` sets "
        f"{default.most}, but {server.title} uses about {Quantity.of_bytes(base)} before any "
        "weights: the server is killed with exit code 137 while it loads",
        note="set a limit that covers loading, in the container or in the LimitRange",
        confidence="likely",
        related=(RelatedPlace(default.limits.number, default.path, "the limit that applies"),),
    )
