"""Alerts on a model server: slow answers, waiting requests, full caches, repeated restarts."""

from collections.abc import Iterator

from gpuspec.plan import signals
from gpuspec.plan.decision import Origin
from gpuspec.plan.observing import of_pods
from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.of_pods import Decided
from gpuspec.plan.observing.promql import lasting, quantile, selected
from gpuspec.plan.observing.workload_series import WorkloadSeries
from gpuspec.plan.pace import SCALE_UP
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec, Replicas
from gpuspec.spec.monitoring import milliseconds

SHARE = 0.95
"""The fraction of requests that must meet an objective."""
SLOW = 10 * 60
FULL_CACHE = 0.95
RESTARTS = 2
UNASKED = 86_400
_HOUR = 3600
_RULE = Origin("derived", row="observing")
_OBJECTIVES = (
    (
        *("time_to_first_token", "timeToFirstToken", "first_token", "FirstTokenSlow"),
        "answers begin after",
        (
            "Requests wait for a place in the batch, prompts are long, or prefill has too "
            "few GPUs: check the waiting requests, and add replicas."
        ),
    ),
    (
        *("time_per_output_token", "timePerOutputToken", "per_token", "TokensSlow"),
        "the time between tokens is",
        (
            "The batch is large for the GPU, or long prompts interrupt it: add replicas, "
            "or allow fewer requests at a time."
        ),
    ),
)


def alerts(
    resolution: Resolution, spec: InferenceSpec, workload_series: WorkloadSeries, budget: int
) -> Iterator[Decided]:
    """Yield all alerts of a server. `budget`: start-up seconds of one pod."""
    if resolution.runtime.metrics is not None and spec.metrics is None:
        yield from _slow(resolution, spec, workload_series)
        yield from _waiting(resolution, spec, workload_series, budget)
        yield from _cache(resolution, spec, workload_series)
    if resolution.runtime.metrics is not None or spec.metrics is not None:
        why = f"a pod has {lasting(budget)} to start"
        yield from of_pods.unscraped(workload_series, budget + of_pods.PENDING, why, _RULE)
    yield from of_pods.pending(workload_series)
    if workload_series.state:
        yield _restarts(workload_series, budget)
        yield from _most(resolution, spec)
    yield from of_pods.memory(workload_series)
    if not resolution.runtime.gpu_memory.greedy:
        yield from of_pods.gpu_memory(workload_series)
    if workload_series.state and workload_series.gpus:
        yield _unasked(workload_series)


def _slow(
    resolution: Resolution, spec: InferenceSpec, workload_series: WorkloadSeries
) -> Iterator[Decided]:
    """Yield the alerts on answers slower than the spec's objectives."""
    for field, key, which, name, words, look in _OBJECTIVES:
        objective = getattr(spec.objectives, field)
        histogram = signals.series(resolution, spec, which)
        # Pods that only compute prompts give no answer to a client.
        if objective is None or histogram is None or resolution.server is not None:
            continue
        limit = milliseconds(objective) / 1000
        alert = Alert(
            name=name,
            expr=f"{quantile(SHARE, histogram, workload_series.own)} > {limit:g}",
            seconds=SLOW,
            severity="warning",
            summary=f"{resolution.name}: {words} {{{{ $value | humanizeDuration }}}}, above the "
            f"objective of {objective}",
            description=f"95 of 100 requests are faster than that. {look}",
        )
        why = f"95 of 100 requests within {objective}, over five minutes"
        yield alert, why, Origin("spec", ("spec", "objectives", key))


def _waiting(
    resolution: Resolution, spec: InferenceSpec, workload_series: WorkloadSeries, budget: int
) -> Iterator[Decided]:
    """Yield an alert on more waiting requests than one more replica is worth."""
    queue, metrics = signals.series(resolution, spec, "queue"), resolution.runtime.metrics
    if queue is None or metrics is None:
        return
    replicas, seconds, target = spec.replicas, SLOW, metrics.target
    why, origin = (
        f"{target} for each replica",
        Origin("table", row=f"runtimes/{resolution.runtime.name}"),
    )
    if isinstance(replicas, Replicas):
        if replicas.signal == "queue" and replicas.metric_from is None and replicas.target:
            target, origin = replicas.target, Origin("spec", ("spec", "replicas", "target"))
            why = f"{target} for each replica, above which the spec wants one more"
        if _scales(resolution, replicas):
            seconds = max(SLOW, budget + SCALE_UP["window"] + SCALE_UP["period"])
            why += f"; one more replica takes at most {lasting(seconds)} to start"
    series = selected(queue, workload_series.own)
    alert = Alert(
        name="RequestsWaiting",
        expr=f"sum({series}) / count(count by (pod) ({series})) > {target}",
        seconds=seconds,
        severity="warning",
        summary=f"{resolution.name}: {{{{ $value | humanize }}}} requests wait for each replica",
        description="More requests arrive than the replicas answer, and no replica was added: "
        "check for Pending pods, and whether the number of replicas is at its maximum.",
    )
    yield alert, why, origin


def _cache(
    resolution: Resolution, spec: InferenceSpec, workload_series: WorkloadSeries
) -> Iterator[Decided]:
    """Yield the alert on a full KV cache, with which requests wait or are computed again."""
    cache = signals.series(resolution, spec, "cache")
    if cache is None:
        return
    alert = Alert(
        name="KVCacheNearlyFull",
        expr=f"max by (pod) ({selected(cache, workload_series.own)}) > {FULL_CACHE}",
        seconds=SLOW,
        severity="warning",
        summary=f"{resolution.name}: the KV cache is {{{{ $value | humanizePercentage }}}} full",
        description="{{ $labels.pod }} makes requests wait, or preempts some and recomputes them. "
        "Use a shorter `context`, more replicas or more GPU memory.",
    )
    why = "long requests fill the cache for moments; if it is full for minutes, it is too small"
    yield alert, why, _RULE


def _restarts(workload_series: WorkloadSeries, budget: int) -> Decided:
    """Return the alert on a container that restarts repeatedly, and loads its model each time."""
    window = max(_HOUR, 4 * budget)
    restarts = selected("kube_pod_container_status_restarts_total", workload_series.main())
    alert = Alert(
        name="PodsRestarting",
        expr=workload_series.of_them(f"increase({restarts}[{lasting(window)}]) >= {RESTARTS}"),
        seconds=0,
        severity="critical",
        summary=f"A pod of {workload_series.workload} has restarted {{{{ $value | humanize }}}} times",
        description="{{ $labels.pod }} loads its model again each time. `kubectl logs --previous` and the "
        "last state of the container say why: out of memory, a probe that gave up, or an error.",
    )
    why = f"twice in {lasting(window)}, the time of four starts of {lasting(budget)}"
    return alert, why, _RULE


def _most(resolution: Resolution, spec: InferenceSpec) -> Iterator[Decided]:
    """Yield the alert on an autoscaler that wants more replicas than its maximum."""
    metrics, replicas = resolution.profile.spec.metrics, spec.replicas
    if metrics is None or not isinstance(replicas, Replicas) or not _scales(resolution, replicas):
        return
    # KEDA makes one of its own for a ScaledObject.
    name = f"keda-hpa-{resolution.name}" if metrics.source == "keda" else resolution.name
    of = {"namespace": resolution.workload.namespace, "horizontalpodautoscaler": name}
    prefix = "kube_horizontalpodautoscaler"
    now = selected(f"{prefix}_status_current_replicas", of)
    most = selected(f"{prefix}_spec_max_replicas", of)
    limited = {**of, "condition": "ScalingLimited", "status": "true"}
    limited_metric = selected(f"{prefix}_status_condition", limited)
    by = "namespace, horizontalpodautoscaler"
    alert = Alert(
        name="ReplicasAtMaximum",
        expr=f"({now} >= on ({by}) {most}) and on ({by}) ({limited_metric} == 1)",
        seconds=SLOW,
        severity="warning",
        summary=f"{resolution.name} has its maximum of {replicas.max} replicas, and needs more",
        description="Its metric requires more than `replicas.max`. Raise it if there are GPUs; "
        "until then requests wait.",
    )
    yield alert, "its autoscaler would add more", Origin("spec", ("spec", "replicas", "max"))


def _unasked(workload_series: WorkloadSeries) -> Decided:
    """Return the alert on GPUs of a server without requests."""
    alert = Alert(
        name="GPUsIdle",
        expr=of_pods.idle(workload_series, UNASKED),
        seconds=_HOUR,
        severity="info",
        summary=f"GPUs of {workload_series.workload} have done nothing for a day",
        description="{{ $labels.pod }} holds GPUs and computes nothing. To free them, use fewer "
        "replicas, or `min: 0` if something counts requests in front of it.",
    )
    return alert, "a night without requests is normal, a day is not", _RULE


def _scales(resolution: Resolution, replicas: Replicas) -> bool:
    """Return whether an autoscaler changes the number of servers."""
    return resolution.profile.spec.metrics is not None and replicas.min != replicas.max
