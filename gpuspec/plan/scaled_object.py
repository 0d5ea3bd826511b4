"""The ScaledObject from which KEDA creates the autoscaler of a service."""

from gpuspec.plan import signals
from gpuspec.plan.decision import Decision, Origin, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.facets import NodeMap, ScaledObjectPlan
from gpuspec.plan.pace import behavior, bound, served
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.signals import PATH, Signal
from gpuspec.spec import InferenceSpec, Metrics, Replicas

# KEDA's own look at a metric, which starts the first replica: half its default, since clients wait.
POLLING = 15
_PROMETHEUS = ("spec", "metrics", "prometheus")


def scaled_object(
    resolution: Resolution,
    spec: InferenceSpec,
    metrics: Metrics,
    scale_signals: list[Signal],
    of: Decision,
    budget: int,
) -> ScaledObjectPlan:
    """Return KEDA's target object and signals. `budget`: start-up seconds of one pod."""
    replicas = spec.replicas
    assert isinstance(replicas, Replicas)
    polling: PlanPart = None
    cooldown: PlanPart = None
    if not replicas.min:
        why = (
            "how often KEDA checks whether to start the first replica; from then on the HPA checks"
        )
        polling = derived("autoscaling", POLLING, why)
        cooldown = _cooldown(spec, budget)
    return ScaledObjectPlan(
        of=of,
        min=bound(replicas, "min"),
        max=bound(replicas, "max"),
        polling=polling,
        cooldown=cooldown,
        behavior=behavior(),
        triggers=tuple(_trigger(resolution, replicas, metrics, signal) for signal in scale_signals),
    )


def _trigger(
    resolution: Resolution, replicas: Replicas, metrics: Metrics, signal: Signal
) -> NodeMap:
    """Return KEDA's Prometheus query for one signal, with its authentication."""
    shared = "the sum of all replicas, divided by their number"
    trigger: dict[str, PlanPart] = {
        "type": from_profile(
            ("spec", "metrics", "source"), "prometheus", "KEDA queries Prometheus"
        ),
        "metricType": derived("autoscaling", "AverageValue", shared),
        "metadata": _metadata(resolution, replicas, metrics, signal),
    }
    assert metrics.prometheus is not None
    authentication = metrics.prometheus.authentication
    if authentication is not None:
        reference = {"name": authentication.name, "kind": "ClusterTriggerAuthentication"}
        why = "KEDA's credentials for Prometheus"
        path = (*_PROMETHEUS, "authentication")
        trigger["authenticationRef"] = from_profile(path, reference, why)
    return trigger


def _metadata(
    resolution: Resolution, replicas: Replicas, metrics: Metrics, signal: Signal
) -> NodeMap:
    prometheus = metrics.prometheus
    assert prometheus is not None
    query = signals.query(resolution, signal, metrics)
    trigger_metadata: dict[str, PlanPart] = {
        "serverAddress": from_profile(
            (*_PROMETHEUS, "address"), prometheus.address, "whom KEDA asks"
        ),
        "query": Decision(query, signal.why, Origin("spec", PATH)),
        "threshold": Decision(signal.number, signal.reason, Origin("spec", PATH)),
        "ignoreNullValues": derived(
            "autoscaling",
            "false",
            "no answer does not mean no load: the replicas stay until there is an answer",
        ),
    }
    if replicas.activation is not None and signal.source is not None:
        why = "the value above which the first replica starts"
        path = (*PATH, "activation")
        trigger_metadata["activationThreshold"] = from_spec(path, str(replicas.activation), why)
    if prometheus.authentication and (modes := prometheus.authentication.modes):
        path = (*_PROMETHEUS, "authentication", "modes")
        trigger_metadata["authModes"] = from_profile(path, ",".join(modes), "the query")
    return trigger_metadata


def _cooldown(spec: InferenceSpec, budget: int) -> Decision:
    """Return the time after which KEDA removes the last replicas, all at once."""
    seconds = served(spec, budget)
    reason = (
        f"the last replicas stop after {seconds}s without requests: the last request "
        f"has {budget}s for a replica to start and {spec.longest_request} for an answer"
    )
    return derived("autoscaling", seconds, reason)
