"""The metrics of autoscalers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec import runtimes
from gpuspec.manifests.values import items, mapping, text
from gpuspec.runtimes.exporters import families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.objects.scalers import Scaler
    from gpuspec.runtimes import Runtime
    from gpuspec.runtimes.exporters import SeriesFamily

_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|\{[^}]*\}|\[[^\]]*\]")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:]*(?!\s*\(|[A-Za-z0-9_:])")
_WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "atan2"}
_FIELDS = ("queue", "running", "cache", "first_token", "per_token")
_ENDINGS = ("_bucket", "_count", "_sum", "_total")
"""Suffixes of counters and histograms."""
_CLASS = "serving.kserve.io/metric"
_KNATIVE = "autoscaling.knative.dev/metric"


class AutoscalerSignal(msgspec.Struct, frozen=True):
    """One metric of an autoscaler."""

    kind: Literal["resource", "metric", "query", "other"]
    """`resource`: CPU or memory. `query`: PromQL, with several metrics perhaps."""
    text: str
    """The resource, the metric's name, the query, or the trigger's type."""
    path: Path
    container: str = ""
    """The container whose resource is measured; empty for the pod."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of its metrics."""
        if self.kind == "metric":
            return (self.text,)
        return metrics_in(self.text) if self.kind == "query" else ()


def signals(scaler: Scaler) -> Iterator[AutoscalerSignal]:
    """Yield the metrics of an autoscaler of an object."""
    spec = scaler.object.spec
    if scaler.keda:
        for index, trigger in enumerate(items(spec.get("triggers"))):
            yield from _trigger(mapping(trigger), scaler.path("triggers", index))
        return
    if "targetCPUUtilizationPercentage" in spec:
        yield AutoscalerSignal("resource", "cpu", scaler.path("targetCPUUtilizationPercentage"))
        return
    metrics = items(spec.get("metrics"))
    if scaler.object.group == "autoscaling" and "metrics" not in spec:
        # Kubernetes' own default: 80 % of the CPU that is requested.
        yield AutoscalerSignal("resource", "cpu", scaler.path("metrics"))
    for index, metric in enumerate(metrics):
        yield from _metric(mapping(metric), scaler.path("metrics", index))
    for index, source in enumerate(items(spec.get("metricsSources"))):
        at = scaler.path("metricsSources", index, "targetMetric")
        name = text(mapping(source).get("targetMetric"))
        if name in ("cpu", "memory"):
            yield AutoscalerSignal("resource", name, at)
        elif name:
            yield AutoscalerSignal("metric", name, at)


def own_signals(pod: Pod) -> Iterator[AutoscalerSignal]:
    """Yield the metrics in an object's own scaling fields: KServe's, Knative's, the NIM
    operator's."""
    owner = pod.object
    if owner.traits.complete_with_containers and len(pod.base) >= 2:
        part = pod.base[len(owner.base) : len(owner.base) + 2]
        scaling = mapping(owner.spec.get(str(part[-1])))
        if text(scaling.get("scaleMetric")) in ("cpu", "memory"):
            yield AutoscalerSignal(
                "resource", scaling["scaleMetric"], owner.path(*part, "scaleMetric")
            )
        elif text(owner.annotations.get(_CLASS)) in ("cpu", "memory"):
            at = owner.path("metadata", "annotations", _CLASS)
            yield AutoscalerSignal("resource", owner.annotations[_CLASS], at)
    if text(pod.annotations.get(_KNATIVE)) in ("cpu", "memory") and pod.metadata_path:
        at = (*pod.metadata_path, "annotations", _KNATIVE)
        yield AutoscalerSignal("resource", pod.annotations[_KNATIVE], at)
    if owner.is_a("apps.nvidia.com", "NIMService"):
        hpa = mapping(mapping(owner.spec.get("scale")).get("hpa"))
        for index, metric in enumerate(items(hpa.get("metrics"))):
            yield from _metric(
                mapping(metric), owner.path("spec", "scale", "hpa", "metrics", index)
            )


def metrics_in(query: str) -> tuple[str, ...]:
    """Return the names of the series that a PromQL query reads."""
    plain = _GROUPING.sub(" ", _QUOTED.sub(" ", query))
    names = (match[0] for match in _NAME.finditer(plain))
    return tuple(dict.fromkeys(name for name in names if name.lower() not in _WORDS))


def emitters(metric: str) -> frozenset[str]:
    """Return the model servers that emit a metric, by its prefix; empty for none."""
    # Google's adapter spells `prometheus.googleapis.com|vllm:num_requests_waiting|gauge`.
    for part in metric.split("|"):
        for beginning, names in _beginnings().items():
            if part.replace(":", "_").startswith(beginning):
                return names
    return frozenset()


def beginnings(server: Runtime) -> set[str]:
    """Return the prefixes of a server's metrics, with underscores for colons."""
    return {_beginning(name) for name in _names(server)}


def colon_spelling(metric: str) -> str | None:
    """Return the series with a colon that a name with an underscore means."""
    for ending in ("", *_ENDINGS):
        name = _with_colons().get(metric.removesuffix(ending))
        if name is not None and metric.endswith(ending):
            return name + ending
    return None


@cache
def _with_colons() -> dict[str, str]:
    """Return every series with a colon in the tables, of any release, by its name with an
    underscore."""
    return {
        name.replace(":", "_"): name
        for server in map(runtimes.get, runtimes.names())
        if (metrics := server.metrics) is not None
        for series in (metrics, metrics.former)
        for name in (
            *(getattr(series, field, None) for field in _FIELDS),
            *(gone.name for gone in metrics.gone),
        )
        if name and ":" in name
    }


def unknown_to(metric: str) -> str | None:
    """Return the program that a series belongs to by its prefix, if no release has the series; None
    otherwise. With a second colon, a recording rule made it."""
    for family in families():
        if metric.startswith(family.begins) and metric.count(":") < 2:
            names = _family_names(family)
            plain = _without_ending(metric)
            is_known = plain in names or any(
                name.endswith("_") and metric.startswith(name) for name in names
            )
            return None if is_known or metric in names else family.title
    return None


def known_like(metric: str) -> list[str]:
    """Return the series of the same program, with the ending that this one has."""
    ending = next((ending for ending in _ENDINGS if metric.endswith(ending)), "")
    family = next(family for family in families() if metric.startswith(family.begins))
    return sorted(name + ending for name in _family_names(family) if not name.endswith("_"))


@cache
def _family_names(family: SeriesFamily) -> frozenset[str]:
    names = family.full_names()
    return names | {_without_ending(name) for name in names}


def _without_ending(name: str) -> str:
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


class RenamedSeries(msgspec.Struct, frozen=True):
    """A series of a server that one of its releases lacks."""

    release: str
    """The release that removed it, or that introduced it."""
    gone: bool
    now: str | None
    """Its name in the other release."""


def renamed(server: Runtime, metric: str, container: PodContainer) -> RenamedSeries | None:
    """Return the release in which a metric's name exists, if the container's lacks it; None
    otherwise, or if the release is unknown."""
    metrics = server.metrics
    if metrics is None:
        return None
    spelt = {plain_series(part) for part in metric.split("|")}
    for gone_series in metrics.gone:
        shown = (
            gone_series.unless is not None and container.words.flag(gone_series.unless) is not None
        )
        if (
            plain_series(gone_series.name) in spelt
            and not shown
            and _is_from(server, container, gone_series.since)
        ):
            return RenamedSeries(gone_series.since, gone=True, now=gone_series.now)
    if metrics.former is None:
        return None
    new = _is_from(server, container, metrics.former.until)
    for field in _FIELDS:
        was, now = getattr(metrics.former, field), getattr(metrics, field)
        if new is True and was and was != now and plain_series(was) in spelt:
            return RenamedSeries(metrics.former.until, gone=True, now=now)
        if new is False and now and was != now and plain_series(now) in spelt:
            return RenamedSeries(metrics.former.until, gone=False, now=was)
    return None


def _is_from(server: Runtime, container: PodContainer, since: str) -> bool | None:
    image = container.image
    return runtimes.at_least(image, since) if runtimes.is_image_of(server.name, image) else None


def plain_series(name: str) -> str:
    """Return a series as an adapter may spell it, without the ending of a counter or a
    histogram."""
    return _without_ending(name.replace(":", "_"))


def _names(server: Runtime) -> list[str]:
    if server.metrics is None:
        return []
    names = (server.metrics.queue, server.metrics.running, server.metrics.cache)
    return [name for name in names if name]


@cache
def _beginnings() -> dict[str, frozenset[str]]:
    runtimes_by_prefix: dict[str, frozenset[str]] = {}
    # A cluster's exporter puts its own beginning before the names of whatever program runs there.
    for name in (
        runtime_name
        for runtime_name in runtimes.names()
        if not runtimes.get(runtime_name).clustered
    ):
        for beginning in beginnings(runtimes.get(name)):
            runtimes_by_prefix[beginning] = runtimes_by_prefix.get(beginning, frozenset()) | {name}
    return runtimes_by_prefix


def _beginning(metric: str) -> str:
    """Return the prefix of a series: `vllm_` of `vllm:num_requests_waiting`, `tgi_` of
    `tgi_queue_size`."""
    return metric.replace(":", "_").partition("_")[0] + "_"


def _metric(metric: dict[str, Any], at: Path) -> Iterator[AutoscalerSignal]:
    for field in ("resource", "containerResource"):
        metric_source = metric.get(field)
        if isinstance(metric_source, dict) and text(metric_source.get("name")) in ("cpu", "memory"):
            container = text(metric_source.get("container"))
            yield AutoscalerSignal(
                "resource", metric_source["name"], (*at, field, "name"), container
            )
    for field in ("pods", "object", "external"):
        name = text(mapping(mapping(metric.get(field)).get("metric")).get("name"))
        if name:
            yield AutoscalerSignal("metric", name, (*at, field, "metric", "name"))


def _trigger(trigger: dict[str, Any], at: Path) -> Iterator[AutoscalerSignal]:
    kind, metadata = text(trigger.get("type")), mapping(trigger.get("metadata"))
    if kind in ("cpu", "memory"):
        yield AutoscalerSignal("resource", kind, (*at, "type"), text(metadata.get("containerName")))
    elif text(metadata.get("query")):
        yield AutoscalerSignal("query", metadata["query"], (*at, "metadata", "query"))
    elif kind:
        yield AutoscalerSignal("other", kind, (*at, "type"))
