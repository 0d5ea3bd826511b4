"""Queued servers that Kueue evicts while their startup probe still lets them load."""

from collections.abc import Iterator

from gpuspec.keys.readers import seconds
from gpuspec.lint.analysis.serving.probes import times
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import configuration, queue_of

RULE = Rule(
    "GPU419",
    "evicted-while-loading",
    "warning",
    "Kueue evicts a workload before its startup probes finish",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check the time in which pods must become ready, if the set has Kueue's configuration."""
    if queue_of(obj) is None:
        return
    ours = configuration(context.collection)
    ready = None if ours is None else seconds(ours.ready)
    if not ready:
        return
    for pod in obj.pods:
        for container in pod.gpu_containers:
            probe = container.probe("startup")
            probe_times = None if probe is None else times(probe)
            if probe_times is not None and probe_times.budget > ready:
                yield RawFinding(
                    container.path("startupProbe", "failureThreshold"),
                    f"the startup probe allows {probe_times.budget} s, but Kueue evicts pods that are "
                    f"not ready after {ready:g} s (`waitForPodsReady.timeout`): the model loads "
                    "from the start each time, and never finishes",
                    note=(
                        "set `waitForPodsReady.timeout` to the time that the largest model needs to "
                        "load"
                    ),
                    confidence="likely",
                )
