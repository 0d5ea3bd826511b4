"""Whether a cluster's autoscalers can do what a spec asks of them."""

from collections.abc import Iterator

from gpuspec.manifests import label_key, label_value
from gpuspec.numbers import read_version
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.signals import PATH
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, MetricFrom, Metrics, Replicas
from gpuspec.spec.rules.replicas import BEFORE
from gpuspec.spec.words import shown

ZERO_SINCE = (1, 37)
"""The first Kubernetes whose HPAs go to zero unless the cluster forbids it: HPAScaleToZero is beta."""


def refused(case: Case, target: Target) -> list[Refused]:
    """Zero that nothing ends, and metrics that the profile's source does not have.

    What counts requests before the servers needs no source, and says itself what it does not see.
    """
    spec = case.spec
    if not isinstance(spec, InferenceSpec) or not isinstance(spec.replicas, Replicas):
        return []
    if target.front is not None:
        return []
    metrics, replicas = case.profile.spec.metrics, spec.replicas
    found = [] if replicas.min else [*_zero(case, metrics, target)]
    if metrics is not None and replicas.metric_from is not None:
        found += _source(case, metrics, replicas.metric_from)
    if metrics is not None and metrics.source != "keda" and replicas.activation is not None:
        text = "an HPA starts the first replica at any value above 0: only KEDA knows another"
        place = case.workload.place((*PATH, "activation"))
        found.append(Refused(text, place, "delete `activation`"))
    return found


def _zero(case: Case, metrics: Metrics | None, target: Target) -> Iterator[Refused]:
    """No replica at all, and nobody who would start one."""
    place, version = case.workload.place((*PATH, "min")), case.profile.spec.kubernetes
    spec = case.spec
    assert isinstance(spec, InferenceSpec)
    assert isinstance(spec.replicas, Replicas)
    if target.scaling != "ours":
        text = f"target {target.name} carries no servers that go to 0 replicas"
        yield Refused(text, place, "write min: 1, or choose another target")
    elif spec.replicas.metric_from is None:
        text = "at 0 replicas no server emits `running`, and no replica starts again"
        yield Refused(text, place, f"{BEFORE}; targets of Knative's count them themselves")
    elif metrics is None:
        text = (
            "at 0 replicas an autoscaler starts the first one, and the profile names no `metrics`"
        )
        yield Refused(text, place, "write min: 1, or name a source in the profile")
    elif metrics.source != "keda" and read_version(version) < ZERO_SINCE:
        since = ".".join(map(str, ZERO_SINCE))
        text = (
            f"an HPA goes to 0 replicas from Kubernetes {since} on, and the profile has {version}"
        )
        yield Refused(
            text, place, "write min: 1; KEDA goes to 0 on any, as the profile's `metrics`"
        )


def _source(case: Case, metrics: Metrics, said: MetricFrom) -> Iterator[Refused]:
    """A metric that the profile's source does not have, or is not asked for so."""
    which, needs = next(
        (field, sources)
        for field, sources in (
            ("object", ("custom-metrics",)),
            ("external", ("external-metrics", "keda")),
            ("query", ("keda",)),
        )
        if getattr(said, field) is not None
    )
    path = (*PATH, "metricFrom", which)
    if metrics.source not in needs:
        text = f"`{which}` is for {' and '.join(needs)}, and the profile has {metrics.source}"
        yield Refused(text, case.workload.place(path), _INSTEAD[metrics.source])
    elif said.external is not None and metrics.source == "keda":
        yield from _counter(case)
    elif said.external is not None:
        for key, value in said.external.labels.items():
            wrong = label_key(key) or label_value(value)
            if wrong:
                text = (
                    f"{shown(f'{key}: {value}')} is asked for by a selector of Kubernetes: {wrong}"
                )
                place = case.workload.place((*path, "labels", key))
                yield Refused(text, place, "take a label whose value it can have")


def _counter(case: Case) -> Iterator[Refused]:
    """A counter that Prometheus would be asked for as it is: it only grows, and so would the servers."""
    spec = case.spec
    assert isinstance(spec, InferenceSpec)
    assert isinstance(spec.replicas, Replicas)
    # Imported only for specs that name another thing's metric: start-up counts.
    from gpuspec.runtimes import gateways

    name = spec.replicas.metric or ""
    if name.endswith(_COUNTS) or any(one.counter and one.name == name for one in gateways.series()):
        text = f"{shown(name)} is a counter, which only grows: what is measured is its rate"
        hint = f"write metricFrom: {{query: 'sum(rate({name}{{…}}[2m]))'}}, and no metric"
        yield Refused(text, case.workload.place((*PATH, "metric")), hint)


_COUNTS = "_total"
"""How the names of counters end in Prometheus."""
_INSTEAD = {
    "custom-metrics": "write metricFrom: {object: {kind: …, name: …}}",
    "external-metrics": "write metricFrom: {external: {labels: {…}}}",
    "keda": "write metricFrom: {external: {labels: {…}}}, or a query",
}
"""How another thing's metric is named, by the profile's source."""
