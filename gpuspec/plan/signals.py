"""The metric of an autoscaler, and its target for each replica."""

import json

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec, MetricFrom, Metrics, Replicas, at_least

PATH: Path = ("spec", "replicas")
# Where the spec gives no target. Our own figures, on the careful side: a batch that most servers
# still speed up with, and a cache that has room for the requests that arrive while a pod loads.
RUNNING_TARGET = 64
CACHE_TARGET_PERCENT = 80


class Signal(msgspec.Struct, frozen=True):
    """One metric and its target."""

    name: str
    """The name in the source of metrics; empty if a query replaces it."""
    thousandths: int
    """The value per replica above which one more is added."""
    unit: str
    why: str
    source: MetricFrom | None
    """The emitter; None for the servers themselves."""
    may_be_none: bool = False
    """Whether the series may be absent, which counts as zero."""

    @property
    def quantity(self) -> str:
        """The target as a Kubernetes quantity."""
        whole, rest = divmod(self.thousandths, 1000)
        return f"{self.thousandths}m" if rest else str(whole)

    @property
    def number(self) -> str:
        """The target in KEDA's form."""
        whole, rest = divmod(self.thousandths, 1000)
        return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)

    @property
    def reason(self) -> str:
        """The reason for the metric and its target."""
        return f"{self.why}: {self.quantity} {self.unit} per replica"


def signal(
    resolution: Resolution, spec: InferenceSpec, replicas: Replicas, metrics: Metrics
) -> Signal:
    """Return the spec's metric to scale on, by its name in the profile's source of metrics."""
    source, target = replicas.metric_from, replicas.target
    if source is not None and source.query is not None:
        assert target is not None
        return Signal("", target * 1000, "of its value", "what the spec's query finds", source)
    if replicas.metric is not None:
        assert target is not None
        why = "the metric that the spec names"
        none = source is not None and _appears(replicas.metric)
        return Signal(replicas.metric, target * 1000, "of the named metric", why, source, none)
    name, metric_names = (
        _own(resolution, spec, replicas.signal, metrics),
        resolution.runtime.metrics,
    )
    assert name is not None
    assert metric_names is not None
    match replicas.signal:
        case "queue":
            why = "waiting requests are load that a replica cannot handle; CPU use shows nothing"
            return Signal(
                name, (target or metric_names.target) * 1000, "waiting requests", why, None
            )
        case "running":
            running = (target or RUNNING_TARGET) * 1000
            return Signal(name, running, "running requests", "requests in flight", None)
        case "cache":
            why = "a full KV cache makes requests wait"
            share = (target or CACHE_TARGET_PERCENT) * 10
            return Signal(name, share, "of the KV cache", why, None)


def _appears(metric: str) -> bool:
    """Return whether a gateway's or a picker's series is absent before the first request."""
    # Imported only for specs that name one: start-up counts.
    from gpuspec.runtimes import gateways

    return any(exported.appears for exported in gateways.series() if exported.name == metric)


def busy(resolution: Resolution, spec: InferenceSpec, metrics: Metrics) -> Signal | None:
    """Return the metric of running requests, for a service whose main metric may allow zero
    replicas.

    In servers that keep up, no requests wait, however many they answer. None if the servers' series
    is not known.
    """
    name = _own(resolution, spec, "running", metrics)
    if name is None:
        return None
    why = "running requests, so that the last server stays for them"
    return Signal(name, RUNNING_TARGET * 1000, "running requests", why, None, may_be_none=True)


def series(resolution: Resolution, spec: InferenceSpec, which: str) -> str | None:
    """Return a series of the servers by its Prometheus name in their release; None if there is
    none."""
    name, metrics = _emitted(resolution, spec, which), resolution.profile.spec.metrics
    if name is None or metrics is None or metrics.source != "keda":
        return name
    return metrics.names.get(name, name)


def _emitted(resolution: Resolution, spec: InferenceSpec, which: str) -> str | None:
    """Return a series of the servers in their release; None if they are not known to emit it."""
    metrics = resolution.runtime.metrics
    if metrics is None:
        return None
    former = metrics.former
    old = former is not None and at_least(spec, former.until) is False
    name: str | None = getattr(former if old else metrics, which)
    return name


def _own(resolution: Resolution, spec: InferenceSpec, which: str, metrics: Metrics) -> str | None:
    """Return a series of the servers by its name in the source of metrics."""
    name = _emitted(resolution, spec, which)
    return None if name is None else _called(name, metrics)


def _called(series: str, metrics: Metrics) -> str:
    """Return a server's series by its name there: renamed, or by an adapter's rules for names.

    In Prometheus a colon marks a recording rule, so adapters' rules replace it.
    """
    plain = series if metrics.source == "keda" else series.replace(":", "_")
    return metrics.names.get(series, plain)


def query(resolution: Resolution, scale_signal: Signal, metrics: Metrics) -> str:
    """Return the PromQL query for the metric of all replicas together."""
    if scale_signal.source is None:
        labels = {
            metrics.labels.namespace: resolution.workload.namespace,
            metrics.labels.workload: resolution.name,
        }
    elif scale_signal.source.query is not None:
        return scale_signal.source.query
    else:
        assert scale_signal.source.external is not None
        labels = dict(scale_signal.source.external.labels)
    plain = scale_signal.name.replace(":", "_")
    if not (plain.isascii() and plain.isidentifier()):
        # Not every name may stand before the braces.
        labels, name = {"__name__": scale_signal.name, **labels}, ""
    else:
        name = scale_signal.name
    # PromQL's strings are Go's, which takes those of JSON.
    chosen = ",".join(f"{key}={json.dumps(value)}" for key, value in labels.items())
    total = f"sum({name}{{{chosen}}})" if chosen else f"sum({name})"
    return f"{total} or vector(0)" if scale_signal.may_be_none else total


def notes(resolution: Resolution, spec: InferenceSpec, replicas: Replicas) -> list[Note]:
    """Return a loud note if the metric's name depends on an unknown release."""
    metrics = resolution.runtime.metrics
    former = metrics.former if metrics else None
    has_own_metric = replicas.metric is not None or replicas.metric_from is not None
    if former is None or has_own_metric or at_least(spec, former.until) is not None:
        return []
    text = (
        f"the release of {resolution.runtime.title} in the image is unknown, and before "
        f"{former.until} the metric was called {getattr(former, replicas.signal)}: "
        "write `version`"
    )
    return [Note(text, Origin("spec", PATH), loud=True)]
