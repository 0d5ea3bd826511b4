"""Alerts on the pods of any workload: they stay pending, run short of memory, or are not
scraped."""

from collections.abc import Iterator

from gpuspec.plan.decision import Decision, Origin, derived
from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.promql import ENGINE, POD, lasting, memory_share, of_pods, selected
from gpuspec.plan.observing.workload_series import WorkloadSeries

PENDING = 15 * 60
# Below this nothing that serves or trains runs: drivers and samples of DCGM are never quite at 0.
IDLE = 0.01
MEMORY_SHARE = 0.95
GPU_MEMORY_SHARE = 0.98
SHORT = 10 * 60

Decided = tuple[Alert, str, Origin]
"""An alert with its reason and origin."""


def pending(workload_series: WorkloadSeries) -> Iterator[Decided]:
    """Yield the alert on pods that are not placed, or whose images and volumes are not ready."""
    if not workload_series.state:
        return
    phase = selected("kube_pod_status_phase", workload_series.space(phase="Pending"))
    alert = Alert(
        name="PodsPending",
        expr=workload_series.of_them(f"{phase} == 1"),
        seconds=PENDING,
        severity="warning",
        summary=f"A pod of {workload_series.workload} has been pending for {lasting(PENDING)}",
        description="{{ $labels.pod }} has no node, or waits for its image or volumes: `kubectl "
        "describe pod` says which. `gpuspec fit` tells whether it fits.",
    )
    yield alert, "a new node, and a large image on it, take some minutes", _rule()


def unscraped(
    workload_series: WorkloadSeries, seconds: int, why: str, origin: Origin
) -> Iterator[Decided]:
    """Yield the alert on missing metrics, without which all other alerts on them are silent."""
    alert = Alert(
        name="MetricsMissing",
        expr=f"max by (pod) ({selected('up', workload_series.own)}) == 0",
        seconds=seconds,
        severity="warning",
        summary=f"A pod of {workload_series.workload} cannot be scraped",
        description="{{ $labels.pod }} does not answer on its metrics port: it hangs, or a network "
        "policy blocks the port. No alert about its requests can fire.",
    )
    yield alert, why, origin


def memory(workload_series: WorkloadSeries) -> Iterator[Decided]:
    """Yield the alert on host memory near a container's limit, at which the container is killed."""
    if not workload_series.state:
        return
    labels = workload_series.main()
    used = selected("container_memory_rss", labels)
    limit = selected("kube_pod_container_resource_limits", workload_series.main(resource="memory"))
    by = f"max by ({POD})"
    expr = f"{by} ({used}) / {by} ({limit}) > {MEMORY_SHARE}"
    alert = Alert(
        name="MemoryNearlyFull",
        expr=workload_series.of_them(f"({expr})"),
        seconds=SHORT,
        severity="warning",
        summary=f"A pod of {workload_series.workload} uses {{{{ $value | humanizePercentage }}}} of its memory",
        description="{{ $labels.pod }} is killed when it reaches its limit, and reloads its model "
        "or loses its work. Write more `resources.memory`, or find what grows.",
    )
    yield alert, "elsewhere the file cache counts too, although it can be reclaimed", _rule()


def gpu_memory(workload_series: WorkloadSeries) -> Iterator[Decided]:
    """Yield the alert on GPU memory near its end, for programs that do not allocate all of it at
    once."""
    if not (workload_series.state and workload_series.gpus):
        return
    expr = f"max by ({POD}) ({of_pods(memory_share())}) > {GPU_MEMORY_SHARE}"
    alert = Alert(
        name="GPUMemoryNearlyFull",
        expr=workload_series.of_them(f"({expr})"),
        seconds=SHORT,
        severity="info",
        summary=f"A GPU of {workload_series.workload} has {{{{ $value | humanizePercentage }}}} of its memory in use",
        description="{{ $labels.pod }} fails when it allocates more. Use smaller batches, a "
        "shorter context or a larger GPU; a caching allocator may hold memory that it "
        "does not use.",
    )
    yield alert, "a larger batch needs more than what is left", _rule()


def idle(workload_series: WorkloadSeries, seconds: int) -> str:
    """Return the alert on pods whose GPUs have been idle for this long since their start."""
    window = f"[{lasting(seconds)}]"
    busy = f"max by ({POD}) ({of_pods(f'avg_over_time({ENGINE}{window})')})"
    started = selected("kube_pod_start_time", workload_series.space())
    old = f"time() - max by ({POD}) ({started}) > {seconds}"
    return workload_series.of_them(f"({busy} < {IDLE} and on ({POD}) ({old}))")


def decision(decided: Decided, labels: dict[str, str]) -> Decision:
    """Return an alert's rule as a decision with its reason."""
    alert, why, origin = decided
    return Decision(alert.rule(labels), f"{alert.name}: {why}", origin)


def _rule() -> Origin:
    return derived("observing", None, "").origin
