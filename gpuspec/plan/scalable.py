"""Check whether a cluster's autoscalers support what a spec requests."""

from collections.abc import Iterator

from gpuspec.manifests import label_key, label_value
from gpuspec.numbers import read_version
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.signals import PATH
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, MetricFrom, Metrics, Replicas
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.replicas import BEFORE

ZERO_SINCE = (1, 37)
"""The first Kubernetes whose HPAs scale to zero unless the cluster forbids it: HPAScaleToZero is
beta."""


def refused(resolution: Resolution, target: Target) -> list[RefusalReason]:
    """Return refusals for zero replicas that never start again, and for metrics that the profile's
    source lacks.

    A counter of requests in front of the servers needs no source, and itself reports what it does
    not see.
    """
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec) or not isinstance(spec.replicas, Replicas):
        return []
    if target.front is not None:
        return []
    metrics, replicas = resolution.profile.spec.metrics, spec.replicas
    reasons = [] if replicas.min else [*_zero(resolution, metrics, target)]
    if metrics is not None and replicas.metric_from is not None:
        reasons += _source(resolution, metrics, replicas.metric_from)
    if metrics is not None and metrics.source != "keda" and replicas.activation is not None:
        text = (
            "an HPA starts the first replica at any value above 0: only KEDA supports a threshold"
        )
        place = resolution.workload.place((*PATH, "activation"))
        reasons.append(RefusalReason(text, place, "delete `activation`"))
    return reasons


def _zero(
    resolution: Resolution, metrics: Metrics | None, target: Target
) -> Iterator[RefusalReason]:
    """Yield a refusal for zero replicas if nothing would start one again."""
    place, version = resolution.workload.place((*PATH, "min")), resolution.profile.spec.kubernetes
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    assert isinstance(spec.replicas, Replicas)
    if target.scaling != "ours":
        text = f"target {target.name} does not support 0 replicas"
        yield RefusalReason(text, place, "write min: 1, or choose another target")
    elif spec.replicas.metric_from is None:
        text = "at 0 replicas no server emits `running`, and no replica starts again"
        yield RefusalReason(text, place, f"{BEFORE}; targets of Knative's count them themselves")
    elif metrics is None:
        text = (
            "at 0 replicas an autoscaler has to start the first one, but the profile has "
            "no `metrics`"
        )
        yield RefusalReason(text, place, "write min: 1, or name a source in the profile")
    elif metrics.source != "keda" and read_version(version) < ZERO_SINCE:
        since = ".".join(map(str, ZERO_SINCE))
        text = f"an HPA supports 0 replicas since Kubernetes {since}, and the profile has {version}"
        yield RefusalReason(
            text, place, "write min: 1; KEDA, as the profile's `metrics`, supports 0 on any version"
        )


def _source(
    resolution: Resolution, metrics: Metrics, metric_from: MetricFrom
) -> Iterator[RefusalReason]:
    """Yield a refusal for a metric that the profile's source lacks, or names differently."""
    which, needs = next(
        (field, sources)
        for field, sources in (
            ("object", ("custom-metrics",)),
            ("external", ("external-metrics", "keda")),
            ("query", ("keda",)),
        )
        if getattr(metric_from, field) is not None
    )
    path = (*PATH, "metricFrom", which)
    if metrics.source not in needs:
        text = f"`{which}` is for {' and '.join(needs)}, and the profile has {metrics.source}"
        yield RefusalReason(text, resolution.workload.place(path), _INSTEAD[metrics.source])
    elif metric_from.external is not None and metrics.source == "keda":
        yield from _counter(resolution)
    elif metric_from.external is not None:
        for key, value in metric_from.external.labels.items():
            wrong = label_key(key) or label_value(value)
            if wrong:
                text = f"a Kubernetes selector selects {shown(f'{key}: {value}')}: {wrong}"
                place = resolution.workload.place((*path, "labels", key))
                yield RefusalReason(text, place, "use a label with a valid value")


def _counter(resolution: Resolution) -> Iterator[RefusalReason]:
    """Yield a refusal for a raw counter: it only grows, and the number of servers with it."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    assert isinstance(spec.replicas, Replicas)
    # Imported only for specs that name another thing's metric: start-up counts.
    from gpuspec.runtimes import gateways

    name = spec.replicas.metric or ""
    if name.endswith(_COUNTS) or any(
        exported.counter and exported.name == name for exported in gateways.series()
    ):
        text = f"{shown(name)} is a counter, which only grows: use its rate"
        hint = f"write metricFrom: {{query: 'sum(rate({name}{{…}}[2m]))'}}, and no metric"
        yield RefusalReason(text, resolution.workload.place((*PATH, "metric")), hint)


_COUNTS = "_total"
"""Suffixes of counters in Prometheus."""
_INSTEAD = {
    "custom-metrics": "write metricFrom: {object: {kind: …, name: …}}",
    "external-metrics": "write metricFrom: {external: {labels: {…}}}",
    "keda": "write metricFrom: {external: {labels: {…}}}, or a query",
}
"""How to name the metric of another object, by the profile's source."""
