"""The panels of a workload's dashboard: its requests, GPUs, memory and pods."""

from collections.abc import Iterator

from gpuspec.plan import signals
from gpuspec.plan.observing.dashboard import Panel
from gpuspec.plan.observing.of_pods import GPU_MEMORY_SHARE, MEMORY_SHARE
from gpuspec.plan.observing.of_servers import FULL_CACHE
from gpuspec.plan.observing.promql import ENGINE, POD, memory_share, of_pods, quantile, selected
from gpuspec.plan.observing.workload_series import WorkloadSeries
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec
from gpuspec.spec.monitoring import milliseconds

_POD = "{{pod}}"


def panels(resolution: Resolution, workload_series: WorkloadSeries) -> tuple[Panel, ...]:
    """Return all panels of a workload."""
    spec = resolution.spec
    own_panels: tuple[Panel, ...] = ()
    if isinstance(spec, InferenceSpec) and spec.metrics is None:
        own_panels = tuple(_requests(resolution, spec, workload_series))
    return (*own_panels, *_devices(resolution, workload_series), *_pods(workload_series))


def _requests(
    resolution: Resolution, spec: InferenceSpec, workload_series: WorkloadSeries
) -> Iterator[Panel]:
    aims = spec.objectives
    for title, which, aim in (
        ("Time to first token", "first_token", aims.time_to_first_token),
        ("Time per output token", "per_token", aims.time_per_output_token),
    ):
        histogram = signals.series(resolution, spec, which)
        if histogram is not None and resolution.server is None:
            shares = tuple(
                (quantile(share, histogram, workload_series.own), f"p{share:.0%}".rstrip("%"))
                for share in (0.5, 0.95, 0.99)
            )
            yield Panel(title, "s", shares, milliseconds(aim) / 1000 if aim else None)
    counted = [
        (f"sum({selected(name, workload_series.own)})", legend)
        for which, legend in (("queue", "waiting"), ("running", "running"))
        if (name := signals.series(resolution, spec, which)) is not None
    ]
    if counted:
        yield Panel("Requests", "short", tuple(counted))
    if (cache := signals.series(resolution, spec, "cache")) is not None:
        full = f"max by (pod) ({selected(cache, workload_series.own)})"
        yield Panel("KV cache in use", "percentunit", ((full, _POD),), FULL_CACHE)


def _devices(resolution: Resolution, workload_series: WorkloadSeries) -> Iterator[Panel]:
    if not (workload_series.state and workload_series.gpus):
        return
    busy = workload_series.of_them(f"max by ({POD}) ({of_pods(ENGINE)})")
    yield Panel("GPUs at work", "percentunit", ((busy, _POD),))
    full = workload_series.of_them(f"max by ({POD}) ({of_pods(memory_share())})")
    greedy = resolution.runtime.gpu_memory.greedy
    limit = None if greedy else GPU_MEMORY_SHARE
    yield Panel("GPU memory in use", "percentunit", ((full, _POD),), limit)


def _pods(workload_series: WorkloadSeries) -> Iterator[Panel]:
    if not workload_series.state:
        return
    by = f"max by ({POD})"
    used = selected("container_memory_rss", workload_series.main())
    limit = selected("kube_pod_container_resource_limits", workload_series.main(resource="memory"))
    share = workload_series.of_them(f"({by} ({used}) / {by} ({limit}))")
    yield Panel("Memory in use", "percentunit", ((share, _POD),), MEMORY_SHARE)
    phase = selected("kube_pod_status_phase", workload_series.space())
    count = f"sum by (phase) ({workload_series.of_them(phase)})"
    yield Panel("Pods", "short", ((count, "{{phase}}"),))
    restarts = selected("kube_pod_container_status_restarts_total", workload_series.main())
    anew = workload_series.of_them(f"increase({restarts}[1h])")
    yield Panel("Restarts in the last hour", "short", ((anew, _POD),))
