"""Replicas, disruption budgets and autoscaling of a service."""

from typing import Any

import msgspec

from gpuspec.plan import signals
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import AutoscalerPlan, DisruptionPlan, ScaledObjectPlan
from gpuspec.plan.pace import SCALE_DOWN, behavior, bound, served
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.signals import PATH, Signal
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Metrics, Replicas

# What an HPA takes for a window at most.
LONGEST_WINDOW = 3600
EVICTION = derived(
    "disruption", "AlwaysAllow", "a pod that is not ready must not block node repair"
)
METRICS_DOC = "the profile names no metrics source (spec.metrics)"


class Scaling(msgspec.Struct, frozen=True):
    """The number of replicas, or the autoscaler that sets it."""

    replicas: PlanPart
    """The number; None if an autoscaler sets it."""
    autoscaler: AutoscalerPlan | None = None
    scaled_object: ScaledObjectPlan | None = None
    notes: tuple[Note, ...] = ()


def scaling(resolution: Resolution, spec: InferenceSpec, target: Target, budget: int) -> Scaling:
    """Return the number of replicas or one of the two autoscalers. `budget`: start-up seconds of
    one pod."""
    replicas, metrics = spec.replicas, resolution.profile.spec.metrics
    if target.scaling == "own":
        return Scaling(None)
    if isinstance(replicas, int):
        return Scaling(from_spec(PATH, replicas, "the spec's number"))
    unread = metrics is not None and metrics.source == "keda" and target.scaling == "told"
    if replicas.min == replicas.max or metrics is None or unread:
        fewest = from_spec((*PATH, "min"), replicas.min, "the fewest replicas")
        why = f"{target.kind} creates its own HPA, which reads nothing from KEDA"
        return Scaling(fewest, notes=(_constant(replicas, why if unread else METRICS_DOC),))
    scale_signals = [signals.signal(resolution, spec, replicas, metrics)]
    notes = tuple(signals.notes(resolution, spec, replicas))
    if not replicas.min:
        answered = signals.busy(resolution, spec, metrics)
        scale_signals += [] if answered is None else [answered]
        notes += _unseen(replicas) if answered is None else ()
    of = derived("autoscaling", target.scales(resolution), "whose replicas change")
    # A number that is written under an autoscaler is set back by each sync.
    if metrics.source == "keda":
        # Imported only for profiles with KEDA: start-up counts.
        from gpuspec.plan.scaled_object import scaled_object

        object_plan = scaled_object(resolution, spec, metrics, scale_signals, of, budget)
        return Scaling(None, scaled_object=object_plan, notes=notes)
    quiet = SCALE_DOWN["window"]
    if not replicas.min:
        quiet = min(served(spec, budget), LONGEST_WINDOW)
        notes += _too_long(served(spec, budget))
    scale_metrics = [_metric(resolution, signal, metrics) for signal in scale_signals]
    reason = "; ".join(signal.reason for signal in scale_signals)
    return Scaling(
        None,
        AutoscalerPlan(
            of=of,
            min=bound(replicas, "min"),
            max=bound(replicas, "max"),
            metrics=Decision(scale_metrics, reason, Origin("spec", PATH)),
            behavior=behavior(quiet),
        ),
        notes=notes,
    )


def disruption(spec: InferenceSpec) -> DisruptionPlan:
    """Return the number of pods that may be evicted at a time."""
    several = least_replicas(spec) > 1
    reason = (
        "one pod at a time may be evicted"
        if several
        else "the only replica may be evicted too: a budget of zero blocks every drain"
    )
    return DisruptionPlan(
        max_unavailable=derived("disruption", 1, reason),
        eviction_policy=EVICTION,
    )


def _constant(replicas: Replicas, why: str) -> Note:
    """Return why the number of replicas is constant."""
    if replicas.min == replicas.max:
        return Note("min equals max: no autoscaler", Origin("spec", PATH))
    text = f"no autoscaler: {why}; {replicas.min} replicas stay"
    return Note(text, Origin("spec", PATH), loud=True)


def _metric(resolution: Resolution, signal: Signal, metrics: Metrics) -> dict[str, Any]:
    """Return the metric in the form of an HPA: of each pod, of an object, or external."""
    target = {"type": "AverageValue", "averageValue": signal.quantity}
    metric_identifier: dict[str, Any] = {"name": signal.name}
    source = signal.source
    if source is not None and source.object is not None:
        of = source.object
        described = {"apiVersion": of.api_version, "kind": of.kind, "name": of.name}
        metric_source = {
            "describedObject": described,
            "metric": metric_identifier,
            "target": target,
        }
        return {"type": "Object", "object": metric_source}
    if metrics.source == "custom-metrics":
        return {"type": "Pods", "pods": {"metric": metric_identifier, "target": target}}
    # The API is asked in the namespace of the HPA, which tells workloads of one name apart.
    labels = (
        dict(source.external.labels)
        if source is not None and source.external is not None
        else {metrics.labels.workload: resolution.name}
    )
    if labels:
        metric_identifier["selector"] = {"matchLabels": labels}
    return {"type": "External", "external": {"metric": metric_identifier, "target": target}}


def _unseen(replicas: Replicas) -> tuple[Note, ...]:
    """Return a loud note if no metric shows that servers still answer."""
    signal_words = replicas.metric or "the query"
    text = (
        f"min: 0: no known metric counts running requests, so {signal_words} has to count them "
        "too: otherwise servers stop while they are in use"
    )
    return (Note(text, Origin("spec", (*PATH, "min")), loud=True),)


def _too_long(seconds: int) -> tuple[Note, ...]:
    """Return a loud note if an HPA scales to zero before the last client has an answer."""
    if seconds <= LONGEST_WINDOW:
        return ()
    text = (
        f"start-up and the longest request take {seconds}s, but an HPA stops the last "
        f"replica after {LONGEST_WINDOW}s without a request: KEDA waits longer"
    )
    return (Note(text, Origin("spec", (*PATH, "min")), loud=True),)
