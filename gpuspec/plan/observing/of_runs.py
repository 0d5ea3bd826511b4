"""Alerts on training and batches: a run is late, makes no progress, or loses pods repeatedly."""

from collections.abc import Iterator

from gpuspec.plan.decision import Origin
from gpuspec.plan.distribution import at_once
from gpuspec.plan.observing import of_pods
from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.of_pods import Decided
from gpuspec.plan.observing.promql import POD, lasting, selected
from gpuspec.plan.observing.workload_series import WorkloadSeries
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import BatchInferenceSpec, TrainingFields

BEYOND = 4
"""The part of the expected time, one in so many, after which a run is late."""
STALLED = 30 * 60
_HOUR = 3600
_RULE = Origin("derived", row="observing")


def alerts(
    resolution: Resolution,
    spec: TrainingFields | BatchInferenceSpec,
    workload_series: WorkloadSeries,
) -> Iterator[Decided]:
    """Yield all alerts of a run."""
    if spec.metrics is not None:
        why = "a running pod has started its program by then"
        yield from of_pods.unscraped(
            workload_series, of_pods.PENDING, why, Origin("spec", ("spec", "metrics"))
        )
    yield from of_pods.pending(workload_series)
    if workload_series.state:
        yield from _late(spec, workload_series)
        yield _failing(spec, workload_series)
    yield from of_pods.memory(workload_series)
    yield from of_pods.gpu_memory(workload_series)
    if workload_series.state and workload_series.gpus:
        yield _stalled(spec, workload_series)


def _late(
    spec: TrainingFields | BatchInferenceSpec, workload_series: WorkloadSeries
) -> Iterator[Decided]:
    """Yield the alert on a run that takes longer than usual."""
    expected = spec.duration.expected
    if expected is None:
        return
    seconds = expected.seconds + expected.seconds // BEYOND
    if isinstance(spec, BatchInferenceSpec):
        # Its pods come and go; the Job is there from the first to the last.
        job = 'label_replace({owner}, "job_name", "$1", "owner_name", "(.+)")'
        owner = selected("kube_pod_owner", workload_series.space(owner_kind="Job"))
        its = job.format(owner=f"{owner} and on ({POD}) ({workload_series.running})")
        started = selected("kube_job_status_start_time", workload_series.space())
        expr = f"time() - {started} > {seconds} and on (namespace, job_name) {its}"
    else:
        started = selected("kube_pod_start_time", workload_series.space())
        expr = f"time() - min({started} and on ({POD}) ({workload_series.running})) > {seconds}"
    alert = Alert(
        name="RunTooLong",
        expr=expr,
        seconds=60,
        severity="warning",
        summary=f"{workload_series.workload} has run for {{{{ $value | humanizeDuration }}}}, longer than the "
        f"expected {expected}",
        description="It is slower than before, or does not end. Read its log; `duration.max`, if "
        "set, stops it.",
    )
    why = f"{expected} are expected, and a quarter more"
    yield alert, why, Origin("spec", ("spec", "duration", "expected"))


def _failing(spec: TrainingFields | BatchInferenceSpec, workload_series: WorkloadSeries) -> Decided:
    """Return the alert on more failed pods than one failure of all of them."""
    together = at_once(spec) if isinstance(spec, BatchInferenceSpec) else spec.workers
    window = _HOUR
    why = f"more than its {together} at a time have failed, so it was not a single failure"
    checkpoint = spec.checkpoint if isinstance(spec, TrainingFields) else None
    if checkpoint is not None:
        window = max(_HOUR, 4 * checkpoint.every.seconds)
        why += f", and each costs up to {checkpoint.every}"
    past = f"[{lasting(window)}]"
    failed = selected("kube_pod_status_phase", workload_series.space(phase="Failed"))
    expr = f"count(max_over_time({failed}{past}) == 1 and on ({POD}) last_over_time({workload_series.pods}{past}))"
    alert = Alert(
        name="PodsFailing",
        expr=f"{expr} > {together}",
        seconds=0,
        severity="warning",
        summary=f"{{{{ $value | humanize }}}} pods of {workload_series.workload} have failed in {lasting(window)}",
        description="It restarts again and again. The logs of the first failed pods say why; the "
        "alerts of the cluster show failing nodes.",
    )
    return alert, why, _RULE


def _stalled(spec: TrainingFields | BatchInferenceSpec, workload_series: WorkloadSeries) -> Decided:
    """Return the alert on GPUs that a run holds without computing."""
    window, why = STALLED, "no step and no batch of data takes so long"
    if isinstance(spec, TrainingFields) and spec.checkpoint is not None:
        window = max(STALLED, 2 * spec.checkpoint.save.seconds)
        why += ", nor a checkpoint"
    alert = Alert(
        name="RunStalled",
        expr=of_pods.idle(workload_series, window),
        seconds=5 * 60,
        severity="warning",
        summary=f"GPUs of {workload_series.workload} have done nothing for {lasting(window)}",
        description="{{ $labels.pod }} waits for data, for another rank, or for a lock. py-spy or "
        "the NCCL log shows what its processes do.",
    )
    return alert, why, _RULE
