"""Replicas, disruption budgets and autoscaling of a service."""

from typing import Any

import msgspec

from gpuspec.plan import signals
from gpuspec.plan.case import Case
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import AutoscalerPlan, DisruptionPlan, NodeMap, ScaledObjectPlan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.signals import PATH, Signal
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Metrics, Replicas

# A replica takes minutes to load and is missed for as long: it goes only after ten quiet minutes,
# and one at a time.
SCALE_UP = {"window": 60, "period": 60}
SCALE_DOWN = {"window": 600, "period": 300}
# What an HPA takes for a window at most.
LONGEST_WINDOW = 3600
# KEDA's own look at a metric, which starts the first replica: half its default, since clients wait.
POLLING = 15
METRICS_DOC = "the profile names no metrics source (spec.metrics)"


class Scaling(msgspec.Struct, frozen=True):
    """How many replicas there are, or who decides it."""

    replicas: Node
    """The number; None where an autoscaler decides it."""
    autoscaler: AutoscalerPlan | None = None
    scaled_object: ScaledObjectPlan | None = None
    notes: tuple[Note, ...] = ()


def scaling(case: Case, spec: InferenceSpec, target: Target, budget: int) -> Scaling:
    """Of the two autoscalers one at most. `budget`: start-up seconds of one pod."""
    replicas, metrics = spec.replicas, case.profile.spec.metrics
    if target.scaling == "own":
        return Scaling(None)
    if isinstance(replicas, int):
        return Scaling(from_spec(PATH, replicas, "the spec's number"))
    unread = metrics is not None and metrics.source == "keda" and target.scaling == "told"
    if replicas.min == replicas.max or metrics is None or unread:
        fewest = from_spec((*PATH, "min"), replicas.min, "the fewest replicas")
        why = (
            f"{target.kind} makes an HPA of its own, which reads nothing of KEDA"
            if unread
            else None
        )
        return Scaling(fewest, notes=(_constant(replicas, why or METRICS_DOC),))
    found = signals.signal(case, spec, replicas, metrics)
    notes = tuple(signals.notes(case, spec, replicas))
    of = derived("autoscaling", target.scales(case), "whose replicas change")
    # A number that is written under an autoscaler is set back by each sync.
    if metrics.source == "keda":
        made = _scaled_object(case, spec, metrics, found, of, budget)
        return Scaling(None, scaled_object=made, notes=notes)
    quiet = SCALE_DOWN["window"]
    if not replicas.min:
        quiet = min(_served(spec, budget), LONGEST_WINDOW)
        notes += _too_long(_served(spec, budget))
    return Scaling(
        None,
        AutoscalerPlan(
            of=of,
            min=_bound(replicas, "min"),
            max=_bound(replicas, "max"),
            metrics=Leaf([_metric(case, found, metrics)], found.reason, Origin("spec", PATH)),
            behavior=_behavior(quiet),
        ),
        notes=notes,
    )


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


def _constant(replicas: Replicas, why: str) -> Note:
    """Why nothing changes the number of replicas."""
    if replicas.min == replicas.max:
        return Note("min equals max: no autoscaler", Origin("spec", PATH))
    text = f"no autoscaler: {why}; {replicas.min} replicas stay"
    return Note(text, Origin("spec", PATH), loud=True)


def _bound(replicas: Replicas, end: str) -> Leaf:
    number = getattr(replicas, end)
    if not number:
        return from_spec((*PATH, end), number, "none while nobody asks")
    return from_spec((*PATH, end), number, "fewest replicas" if end == "min" else "most replicas")


def _metric(case: Case, found: Signal, metrics: Metrics) -> dict[str, Any]:
    """The metric as an HPA asks for it: of each pod, of an object, or of neither."""
    target = {"type": "AverageValue", "averageValue": found.quantity}
    named: dict[str, Any] = {"name": found.name}
    source = found.source
    if source is not None and source.object is not None:
        of = source.object
        described = {"apiVersion": of.api_version, "kind": of.kind, "name": of.name}
        held = {"describedObject": described, "metric": named, "target": target}
        return {"type": "Object", "object": held}
    if metrics.source == "custom-metrics":
        return {"type": "Pods", "pods": {"metric": named, "target": target}}
    # The API is asked in the namespace of the HPA, which tells workloads of one name apart.
    labels = (
        dict(source.external.labels)
        if source is not None and source.external is not None
        else {metrics.labels.workload: case.name}
    )
    if labels:
        named["selector"] = {"matchLabels": labels}
    return {"type": "External", "external": {"metric": named, "target": target}}


def _scaled_object(
    case: Case,
    spec: InferenceSpec,
    metrics: Metrics,
    found: Signal,
    of: Leaf,
    budget: int,
) -> ScaledObjectPlan:
    replicas = spec.replicas
    assert isinstance(replicas, Replicas)
    trigger, authentication = _trigger(case, replicas, metrics, found)
    polling: Node = None
    cooldown: Node = None
    if not replicas.min:
        why = "how often KEDA looks whether the first replica is asked for; above it the HPA looks"
        polling = derived("autoscaling", POLLING, why)
        cooldown = _cooldown(spec, budget)
    return ScaledObjectPlan(
        of=of,
        min=_bound(replicas, "min"),
        max=_bound(replicas, "max"),
        polling=polling,
        cooldown=cooldown,
        behavior=_behavior(SCALE_DOWN["window"]),
        trigger=trigger,
        authentication=authentication,
    )


def _trigger(
    case: Case, replicas: Replicas, metrics: Metrics, found: Signal
) -> tuple[NodeMap, Node]:
    """What KEDA asks Prometheus, and how it shows who it is."""
    prometheus = metrics.prometheus
    assert prometheus is not None
    path = ("spec", "metrics", "prometheus")
    trigger: dict[str, Node] = {
        "serverAddress": from_profile((*path, "address"), prometheus.address, "whom KEDA asks"),
        "query": Leaf(signals.query(case, found, metrics), found.why, Origin("spec", PATH)),
        "threshold": Leaf(found.number, found.reason, Origin("spec", PATH)),
        "ignoreNullValues": derived(
            "autoscaling",
            "false",
            "no answer is not no load: what runs stays as it is until there is one",
        ),
    }
    if replicas.activation is not None:
        why = "the value above which the first replica starts"
        trigger["activationThreshold"] = from_spec(
            (*PATH, "activation"), str(replicas.activation), why
        )
    known = prometheus.authentication
    if known is None:
        return trigger, None
    if known.modes:
        modes = (*path, "authentication", "modes")
        trigger["authModes"] = from_profile(modes, ",".join(known.modes), "what is sent of it")
    reference = {"name": known.name, "kind": "ClusterTriggerAuthentication"}
    why = "how KEDA shows Prometheus who it is"
    return trigger, from_profile((*path, "authentication"), reference, why)


def _too_long(seconds: int) -> tuple[Note, ...]:
    """A loud word where an HPA forgets who asked before there is an answer."""
    if seconds <= LONGEST_WINDOW:
        return ()
    text = (
        f"start-up and the longest request take {seconds}s, and an HPA ends the last replica after "
        f"{LONGEST_WINDOW}s without a request: KEDA waits longer"
    )
    return (Note(text, Origin("spec", (*PATH, "min")), loud=True),)


def _served(spec: InferenceSpec, budget: int) -> int:
    """The seconds that pass without a request before the last replica goes.

    The metric may be of requests that arrive: who was counted last has to find a server that is ready,
    and to be answered.
    """
    return max(SCALE_DOWN["window"], budget + spec.longest_request.seconds)


def _cooldown(spec: InferenceSpec, budget: int) -> Leaf:
    """After how long KEDA ends the last replicas, all of them at once."""
    seconds = _served(spec, budget)
    reason = (
        f"the last replicas go after {seconds}s that nobody asks: who asked last has {budget}s for "
        f"a replica to start and {spec.longest_request} for an answer"
    )
    return derived("autoscaling", seconds, reason)


def _behavior(quiet: int) -> Leaf:
    """How fast the number changes: `quiet` are the seconds that pass before it goes down."""

    def one_at_a_time(window: int, period: int) -> dict[str, Any]:
        policy = {"type": "Pods", "value": 1, "periodSeconds": period}
        return {"stabilizationWindowSeconds": window, "policies": [policy]}

    value = {
        "scaleUp": one_at_a_time(SCALE_UP["window"], SCALE_UP["period"]),
        "scaleDown": one_at_a_time(quiet, SCALE_DOWN["period"]),
    }
    return derived(
        "autoscaling", value, "one pod at a time: a replica takes minutes to load and to be missed"
    )
