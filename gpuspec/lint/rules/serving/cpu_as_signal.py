"""A GPU server that is scaled by the CPU or the memory that it uses."""

from collections.abc import Iterator

from gpuspec.kinds.owned import REPLICAS
from gpuspec.lint.analysis.serving.servers import gpu_workers, is_first, server_of
from gpuspec.lint.analysis.serving.signals import AutoscalerSignal, own_signals, signals
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.gangs import gpus_together
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import Scaler, scalers_of

RULE = Rule(
    "GPU801",
    "cpu-as-signal",
    "warning",
    "A GPU server is scaled by CPU or memory",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check autoscalers of pods with accelerators, separate and inside the object."""
    if pod.life == "finite" or not is_first(pod):
        return
    for scaler in scalers_of(pod.object, context.collection):
        looks = list(signals(scaler))
        alone = all(look.kind == "resource" for look in looks)
        for signal in looks:
            if signal.kind == "resource" and _meant(pod, signal):
                yield _found(pod, signal, scaler, alone=alone)
    for own_signal in own_signals(pod):
        if own_signal.kind == "resource":
            yield _found(pod, own_signal, None, alone=True)


def _meant(pod: Pod, signal: AutoscalerSignal) -> bool:
    """Return whether a resource is measured of a container with accelerators, or of the whole
    pod."""
    names = {gpu_worker.name for gpu_worker in gpu_workers(pod)}
    return not signal.container or signal.container in names


def _found(pod: Pod, signal: AutoscalerSignal, scaler: Scaler | None, *, alone: bool) -> RawFinding:
    is_whole = pod.object.traits.scaled == REPLICAS
    most = scaler.most if scaler is not None and is_whole else None
    gpus = (most or 0) * gpus_together(pod)
    costs = f", up to {gpus} GPUs" if gpus else ""
    names = {"cpu": "CPU", "memory": "memory"}
    name = names[signal.text]
    why = (
        ("a GPU server's CPU use does not show its queue")
        if signal.text == "cpu"
        else "a GPU server allocates its memory when it loads and keeps it"
    )
    better = _better(pod)
    return RawFinding(
        signal.path,
        f"the autoscaler scales on {name}{costs}: {why}, so replicas start too late, or are "
        "never removed",
        note=f"scale on waiting requests{better}",
        severity="warning" if alone else "info",
        object=None if scaler is None else scaler.object.number,
    )


def _better(pod: Pod) -> str:
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is not None and server.metrics is not None:
            return f": `{server.metrics.queue}`, about {server.metrics.target} per replica"
    return ", as counted by the server or the queue in front of it"
