"""An autoscaler that waits for a metric which its server does not emit."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.servers import gpu_workers, is_first, server_of
from gpuspec.lint.analysis.serving.signals import (
    emitters,
    renamed,
    signals,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU809",
    "metric-nobody-emits",
    "warning",
    "An autoscaler uses a metric that its server does not emit",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield metrics of another kind of server or another release, and those that are off unless
    asked for."""
    workers = gpu_workers(pod)
    if len(workers) != 1 or not is_first(pod):
        return
    server = server_of(workers[0])
    if server is None or (server.metrics is not None and server.metrics.others):
        return
    note = (
        (
            f"use a metric of the gateway or of a queue: {server.title} does not count waiting "
            "requests"
        )
        if server.metrics is None
        else f"use `{server.metrics.queue}`, the waiting requests of {server.title}"
    )
    for scaler in scalers_of(pod.object, context.collection):
        for signal in signals(scaler):
            for metric in signal.metrics:
                fault = _said(server, metric, workers[0])
                if fault is not None:
                    yield RawFinding(
                        signal.path,
                        f"{fault}: the autoscaler gets no value and does nothing",
                        note=note,
                        confidence="likely",
                        object=scaler.object.number,
                        related=(
                            RelatedPlace(pod.object.number, workers[0].path("image"), "the server"),
                        ),
                    )
                    break


def _said(server: Runtime, metric: str, container: PodContainer) -> str | None:
    renamed_series = renamed(server, metric, container)
    if renamed_series is not None:
        instead = f"; it is `{renamed_series.now}` there" if renamed_series.now else ""
        if renamed_series.gone:
            return f"{server.title} has no `{metric}` since {renamed_series.release}{instead}"
        return f"{server.title} has `{metric}` only since {renamed_series.release}{instead}"
    names = emitters(metric)
    if not names:
        return None
    if server.name not in names:
        return f"`{metric}` is not a metric of {server.title}"
    switch = server.settings.metrics
    if switch is None or not switch.flags or container.words.flag(*switch.flags) is not None:
        return None
    if container.value.get("envFrom") or any(name in container.env for name in switch.names):
        return None
    flag = sorted(switch.flags)[0]
    return f"`{metric}` is off: {server.title} emits metrics only with `{flag}`"
