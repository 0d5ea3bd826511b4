"""A server is configured for a feature that none of the pod's possible GPUs supports."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU746",
    "too-new-for-gpu",
    "error",
    "A server uses a number format that its GPUs do not support",
    gives_way=("GPU203",),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield known servers: options that need a compute capability, against every model of GPU."""
    if not is_whole(pod):
        return
    for container in gpu_workers(pod):
        server = server_of(container)
        for demand in () if server is None else server.demands:
            flag = container.words.flag(*demand.options)
            if server is None or flag is None or flag.value not in demand.values:
                continue
            models = [
                gpu_model for gpu_model in gpu_models(pod, context) if gpu_model.compute_capability
            ]
            old = [
                model for model in models if (model.compute_capability or ()) < demand.capability
            ]
            if not old:
                continue
            names = " and ".join(
                f"`{name}`" for name in sorted({gpu_model.name for gpu_model in old})
            )
            never = len(old) == len(models)
            where = "" if never else ", which the pod may get"
            yield RawFinding(
                flag.path,
                f"`{flag.value}` needs compute capability {_plain(demand.capability)}, but "
                f"{names} {'has' if len(old) == 1 else 'have'} "
                f"{_plain(max(gpu_model.compute_capability or (0, 0) for gpu_model in old))}{where}: "
                f"{server.title} exits at startup",
                note=demand.why or None,
                severity=None if never else "warning",
            )


def _plain(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"
