"""The panels of a workload's dashboard: its requests, GPUs, memory and pods."""

from collections.abc import Iterator

from gpuspec.plan import signals
from gpuspec.plan.observing.dashboard import Panel
from gpuspec.plan.observing.of_pods import GPU_MEMORY_SHARE, MEMORY_SHARE
from gpuspec.plan.observing.of_servers import FULL_CACHE
from gpuspec.plan.observing.promql import ENGINE, POD, memory_share, of_pods, quantile, selected
from gpuspec.plan.observing.seen import Seen
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec
from gpuspec.spec.monitoring import milliseconds

_POD = "{{pod}}"


def panels(resolution: Resolution, seen: Seen) -> tuple[Panel, ...]:
    """Return all panels of a workload."""
    spec = resolution.spec
    own: tuple[Panel, ...] = ()
    if isinstance(spec, InferenceSpec) and spec.metrics is None:
        own = tuple(_requests(resolution, spec, seen))
    return (*own, *_devices(resolution, seen), *_pods(seen))


def _requests(resolution: Resolution, spec: InferenceSpec, seen: Seen) -> Iterator[Panel]:
    aims = spec.objectives
    for title, which, aim in (
        ("Time to first token", "first_token", aims.time_to_first_token),
        ("Time per output token", "per_token", aims.time_per_output_token),
    ):
        histogram = signals.series(resolution, spec, which)
        if histogram is not None and resolution.server is None:
            shares = tuple(
                (quantile(share, histogram, seen.own), f"p{share:.0%}".rstrip("%"))
                for share in (0.5, 0.95, 0.99)
            )
            yield Panel(title, "s", shares, milliseconds(aim) / 1000 if aim else None)
    counted = [
        (f"sum({selected(name, seen.own)})", legend)
        for which, legend in (("queue", "waiting"), ("running", "running"))
        if (name := signals.series(resolution, spec, which)) is not None
    ]
    if counted:
        yield Panel("Requests", "short", tuple(counted))
    if (cache := signals.series(resolution, spec, "cache")) is not None:
        full = f"max by (pod) ({selected(cache, seen.own)})"
        yield Panel("KV cache in use", "percentunit", ((full, _POD),), FULL_CACHE)


def _devices(resolution: Resolution, seen: Seen) -> Iterator[Panel]:
    if not (seen.state and seen.gpus):
        return
    busy = seen.of_them(f"max by ({POD}) ({of_pods(ENGINE)})")
    yield Panel("GPUs at work", "percentunit", ((busy, _POD),))
    full = seen.of_them(f"max by ({POD}) ({of_pods(memory_share())})")
    greedy = resolution.runtime.gpu_memory.greedy
    limit = None if greedy else GPU_MEMORY_SHARE
    yield Panel("GPU memory in use", "percentunit", ((full, _POD),), limit)


def _pods(seen: Seen) -> Iterator[Panel]:
    if not seen.state:
        return
    by = f"max by ({POD})"
    used = selected("container_memory_rss", seen.main())
    limit = selected("kube_pod_container_resource_limits", seen.main(resource="memory"))
    share = seen.of_them(f"({by} ({used}) / {by} ({limit}))")
    yield Panel("Memory in use", "percentunit", ((share, _POD),), MEMORY_SHARE)
    phase = selected("kube_pod_status_phase", seen.space())
    count = f"sum by (phase) ({seen.of_them(phase)})"
    yield Panel("Pods", "short", ((count, "{{phase}}"),))
    restarts = selected("kube_pod_container_status_restarts_total", seen.main())
    anew = seen.of_them(f"increase({restarts}[1h])")
    yield Panel("Restarts in the last hour", "short", ((anew, _POD),))
