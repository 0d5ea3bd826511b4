"""Replicas, disruption budgets, autoscaling and warm room of a service."""

from collections.abc import Mapping
from typing import Any

from gpuspec.plan.case import Case
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import AutoscalerPlan, DisruptionPlan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Replicas, at_least

# A replica takes minutes to load and is missed for as long: it goes only after ten quiet minutes,
# and one at a time.
SCALE_UP = {"window": 60, "period": 60}
SCALE_DOWN = {"window": 600, "period": 300}
# Where the spec gives no target. Our own figures, on the careful side: a batch that most servers
# still speed up with, and a cache that has room for the requests that arrive while a pod loads.
RUNNING_TARGET = 64
CACHE_TARGET_PERCENT = 80
METRICS_DOC = "the profile names no metrics source (spec.metrics)"


def scaling(
    case: Case, spec: InferenceSpec, target: Target
) -> tuple[Node, AutoscalerPlan | None, list[Note]]:
    """The number of replicas, or who decides it: None then stands for the number."""
    notes: list[Note] = []
    autoscaler = _autoscaler(case, spec, target, notes)
    return _replicas(spec, autoscaler), autoscaler, notes


def _replicas(spec: InferenceSpec, autoscaler: AutoscalerPlan | None) -> Node:
    if autoscaler is not None:
        # Written under an autoscaler, each sync would set it back.
        return None
    if isinstance(spec.replicas, Replicas):
        return from_spec(("spec", "replicas", "min"), spec.replicas.min, "the fewest replicas")
    return from_spec(("spec", "replicas"), spec.replicas, "the spec's number")


def disruption(spec: InferenceSpec) -> DisruptionPlan:
    """How many pods may be evicted at a time."""
    several = least_replicas(spec) > 1
    reason = (
        "one pod at a time may be evicted"
        if several
        else "the only replica may be evicted too: a budget that allows none blocks every drain"
    )
    return DisruptionPlan(
        max_unavailable=derived("disruption", 1, reason),
        eviction_policy=derived(
            "disruption", "AlwaysAllow", "a pod that is not ready must not block node repair"
        ),
    )


def _autoscaler(
    case: Case, spec: InferenceSpec, carrier: Target, notes: list[Note]
) -> AutoscalerPlan | None:
    replicas = spec.replicas
    if isinstance(replicas, int):
        return None
    path = ("spec", "replicas")
    if replicas.min == replicas.max:
        notes.append(Note("min equals max: no autoscaler", Origin("spec", path)))
        return None
    source = case.profile.spec.metrics
    if source is None:
        notes.append(
            Note(
                f"no autoscaler: {METRICS_DOC}; {replicas.min} replicas stay",
                Origin("spec", path),
                loud=True,
            )
        )
        return None
    name, target, unit, reason = _signal(case, spec, replicas, source.names)
    notes += _unknown_release(case, spec, replicas)
    metric = {
        "type": "Pods",
        "pods": {
            "metric": {"name": name},
            "target": {"type": "AverageValue", "averageValue": target},
        },
    }
    return AutoscalerPlan(
        of=derived("autoscaling", carrier.scales(case.name), "whose replicas change"),
        min=from_spec((*path, "min"), replicas.min, "fewest replicas"),
        max=from_spec((*path, "max"), replicas.max, "most replicas"),
        metrics=Leaf([metric], f"{reason}: {target} {unit} per replica", Origin("spec", path)),
        behavior=_behavior(),
    )


def _signal(
    case: Case, spec: InferenceSpec, replicas: Replicas, names: Mapping[str, str]
) -> tuple[str, str, str, str]:
    """Metric name, target per replica, its unit, and why it is the signal.

    `names`: how the adapter calls a server's series, where it does not only replace the colon.
    """
    known = case.runtime.metrics
    if replicas.metric is not None:
        why = "the metric that the spec names"
        return replicas.metric, str(replicas.target), "of the named metric", why
    assert known is not None
    former = known.former
    old = former is not None and at_least(spec, former.until) is False
    series = str(getattr(former if old else known, replicas.signal))
    # In Prometheus a colon marks a recording rule, so that adapters' rules rename it.
    name = names.get(series, series.replace(":", "_"))
    match replicas.signal:
        case "queue":
            why = "requests that wait are load that a replica cannot take; CPU says nothing"
            return name, str(replicas.target or known.target), "waiting requests", why
        case "running":
            value = str(replicas.target or RUNNING_TARGET)
            return name, value, "running requests", "requests in flight"
        case "cache":
            value = f"{(replicas.target or CACHE_TARGET_PERCENT) * 10}m"
            return name, value, "of the KV cache", "a full KV cache makes requests wait"


def _unknown_release(case: Case, spec: InferenceSpec, replicas: Replicas) -> list[Note]:
    """A loud word where the metric's name hangs on a release that nothing tells."""
    known = case.runtime.metrics
    former = known.former if known else None
    if former is None or replicas.metric is not None or at_least(spec, former.until) is not None:
        return []
    text = (
        f"nothing tells which release of {case.runtime.title} the image holds, and before "
        f"{former.until} the metric was called {getattr(former, replicas.signal)}: write version"
    )
    return [Note(text, Origin("spec", ("spec", "replicas")), loud=True)]


def _behavior() -> Leaf:
    def one_at_a_time(of: dict[str, int]) -> dict[str, Any]:
        policy = {"type": "Pods", "value": 1, "periodSeconds": of["period"]}
        return {"stabilizationWindowSeconds": of["window"], "policies": [policy]}

    value = {"scaleUp": one_at_a_time(SCALE_UP), "scaleDown": one_at_a_time(SCALE_DOWN)}
    return derived(
        "autoscaling", value, "one pod at a time: a replica takes minutes to load and to be missed"
    )
