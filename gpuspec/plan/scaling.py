"""Replicas, rollouts, disruption budgets, autoscaling and warm room of a service."""

from dataclasses import dataclass
from typing import Any

from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.facets import AutoscalerPlan, DisruptionPlan, ServingPlan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_profile, from_spec
from gpuspec.spec import InferenceSpec, Replicas

METRICS_DOC = "the profile names no metrics source (spec.metrics)"


@dataclass(frozen=True, slots=True)
class ScalingPlan:
    """How many replicas there are, and how their number and version change."""

    serving: ServingPlan
    disruption: DisruptionPlan
    autoscaler: AutoscalerPlan | None
    notes: tuple[Note, ...]


def scaling(case: Case, spec: InferenceSpec, budget: int) -> ScalingPlan:
    """Replicas, strategy and budget. `budget`: start-up seconds of one pod."""
    notes: list[Note] = []
    autoscaler = _autoscaler(case, spec, notes)
    serving = ServingPlan(
        replicas=_replicas(spec, autoscaler),
        strategy=_strategy(case, spec),
        progress_deadline=derived(
            "progress-deadline",
            budget + max(300, budget // 2),
            "longer than the start-up budget, so that a loading pod is no failed rollout",
        ),
        history=derived("history", 3, "three old versions to roll back to"),
    )
    return ScalingPlan(serving, _disruption(spec), autoscaler, tuple(notes))


def _replicas(spec: InferenceSpec, autoscaler: AutoscalerPlan | None) -> Node:
    if autoscaler is not None:
        # Written under an autoscaler, each sync would set it back.
        return None
    if isinstance(spec.replicas, Replicas):
        return from_spec(("spec", "replicas", "min"), spec.replicas.min, "the fewest replicas")
    return from_spec(("spec", "replicas"), spec.replicas, "asked for")


def spare_slots(case: Case) -> tuple[int, Origin | None]:
    """Slots that the pools promise to rollouts, and who promises them."""
    total = sum(chosen.pool.spare for chosen in case.pools)
    giver = next((chosen for chosen in case.pools if chosen.pool.spare), None)
    return total, Origin("profile", giver.path("spare")) if giver else None


def _strategy(case: Case, spec: InferenceSpec) -> Leaf:
    """Surge only where a slot is promised; else give up a pod first, so nothing deadlocks."""
    spare, origin = spare_slots(case)
    if spare and origin is not None:
        surge = min(spare, most_replicas(spec))
        value = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": 0}}
        reason = f"{surge} new pods at a time: the pool keeps {spare} slots spare"
        return Leaf(value, reason, origin)
    if least_replicas(spec) == 1 and most_replicas(spec) == 1:
        return derived(
            "rollout",
            {"type": "Recreate"},
            "no spare slot is promised, so the only replica must go before the new one finds a "
            "GPU: a gap of one start-up; promise a slot with the pool's `spare` to avoid it",
        )
    value = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    return derived(
        "rollout",
        value,
        "no spare slot is promised, so one pod makes room for the next: a surge pod would pend "
        "while the old ones hold the GPUs",
    )


def _disruption(spec: InferenceSpec) -> DisruptionPlan:
    several = least_replicas(spec) > 1
    reason = (
        "one pod at a time may be evicted"
        if several
        else "the only pod may be evicted too: a budget that allows none blocks every drain"
    )
    return DisruptionPlan(
        max_unavailable=derived("disruption", 1, reason),
        eviction_policy=derived(
            "disruption", "AlwaysAllow", "a pod that is not ready must not block node repair"
        ),
    )


def _autoscaler(case: Case, spec: InferenceSpec, notes: list[Note]) -> AutoscalerPlan | None:
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
    name, target, unit, reason = _signal(case, spec, replicas)
    name = source.names.get(name, name)
    metric = {
        "type": "Pods",
        "pods": {
            "metric": {"name": name},
            "target": {"type": "AverageValue", "averageValue": target},
        },
    }
    return AutoscalerPlan(
        min=from_spec((*path, "min"), replicas.min, "fewest replicas"),
        max=from_spec((*path, "max"), replicas.max, "most replicas"),
        metrics=Leaf([metric], f"{reason}: {target} {unit} per replica", Origin("spec", path)),
        behavior=_behavior(),
    )


def _signal(case: Case, spec: InferenceSpec, replicas: Replicas) -> tuple[str, str, str, str]:
    """Metric name, target per replica, its unit, and why it is the signal."""
    known = case.runtime.metrics
    if replicas.metric is not None:
        target = replicas.target or (known.target if known else 1)
        return replicas.metric, str(target), "of the named metric", "the metric that was named"
    assert known is not None
    if replicas.signal == "queue":
        why = "requests that wait are the load a replica cannot take; CPU says nothing"
        return known.pods_metric, str(replicas.target or known.target), "waiting requests", why
    series = str(getattr(known, replicas.signal)).replace(":", "_")
    if replicas.signal == "running":
        return series, str(replicas.target or 64), "running requests", "requests in flight"
    return series, f"{(replicas.target or 80) * 10}m", "of the KV cache", "KV-cache use"


def _behavior() -> Leaf:
    value: dict[str, Any] = {
        "scaleUp": {
            "stabilizationWindowSeconds": 60,
            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}],
        },
        "scaleDown": {
            "stabilizationWindowSeconds": 600,
            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 300}],
        },
    }
    return derived(
        "autoscaling", value, "one pod at a time: a replica takes minutes to load and to be missed"
    )


def placeholder_class(case: Case, spec: InferenceSpec) -> Leaf | None:
    """The PriorityClass of warm placeholders.

    Raises `Refusal` when placeholders are asked for and the profile names no class for them.
    """
    if not spec.warm:
        return None
    name = case.profile.spec.priorities.placeholder
    if name is None:
        raise Refusal(
            case.name,
            case.profile.name,
            [
                Refused(
                    "warm placeholders need a PriorityClass of a negative value",
                    case.workload.place(("spec", "warm")),
                    "name it in the profile: priorities.placeholder",
                )
            ],
        )
    return from_profile(
        ("spec", "priorities", "placeholder"), name, "lower than any pod that may take the room"
    )
