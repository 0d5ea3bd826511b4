"""A query that reads a series in another unit, as another type, or under a name of old."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec import runtimes
from gpuspec.kinds.keda import MOST
from gpuspec.lint.analysis.serving.comparisons import (
    MetricComparison,
    compared,
    groups,
    rates,
    series_of,
)
from gpuspec.lint.analysis.serving.signals import emitters, metrics_in, plain_series
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.numbers import read_decimal
from gpuspec.runtimes.exporters import readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.runtimes.exporters import SeriesReading

RULE = Rule(
    "GPU876",
    "series-misread",
    "warning",
    "A query reads a series in another unit, as a counter, under a former name, or of every pod",
)
_TITLES = {"ratio": "a ratio, 0 to 1", "percent": "in percent, 0 to 100", "mib": "in MiB"}
# A selector, or a function over time of one; both keep all labels.
_BARE = re.compile(
    r"(?:(?:[a-z]+_over_time|i?rate|increase|i?delta|deriv)\()?([A-Za-z_:][\w:]*)(\{[^{}]*\})?(?:\[[^\]]*\])?\)?",
    re.ASCII,
)
_ONE_POD = re.compile(r"\b(?:pod|instance)\s*=\s*[\"']")
_RATIO_BEGINS = 0.3
"""A share of less is as well a percentage near zero, which tells whether there is any use."""


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield expressions of alerts and triggers of autoscalers, by the table of readings."""
    for rules in collection.of("monitoring.coreos.com", "PrometheusRule"):
        for path, expression, alert in _expressions(rules):
            problem = next(_of_alert(expression, alert, collection), None)
            if problem is not None:
                yield _raised(rules, path, *problem)
    for scaler in collection.of("keda.sh", "ScaledObject"):
        for path, query, threshold in _triggers(scaler):
            problems = (
                *_of_trigger(query, threshold),
                *_rates(query),
                *_labels(query, collection),
                *_several(query, scaler),
            )
            problem = next(iter(problems), None)
            if problem is not None:
                yield _raised(scaler, path, *problem)


def _raised(obj: Object, path: Path, says: str, note: str) -> RawFinding:
    return RawFinding(path, says, note=note, object=obj.number, confidence="likely")


def _of_alert(expression: str, alert: bool, collection: Collection) -> Iterator[tuple[str, str]]:
    for comparison in compared(expression):
        reading = readings().get(comparison.series)
        problem = None if reading is None else _against(reading, comparison)
        if problem is not None:
            yield problem
    yield from _rates(expression)
    yield from _labels(expression, collection)
    for metric in metrics_in(expression):
        yield from _gone(metric, alert, collection)


def _against(reading: SeriesReading, comparison: MetricComparison) -> tuple[str, str] | None:
    """Return the effect of a comparison whose number is outside the series' range, or in another
    unit; None if it is neither."""
    most, number, above = reading.most, comparison.number, comparison.sign.startswith(">")
    if most is None:
        return None
    name = f"`{comparison.series}` is {_TITLES[reading.scale]}"
    if number > most or (number == most and comparison.sign == ">"):
        then = (
            f"never exceeds {comparison.number_text}"
            if above
            else f"is always below {comparison.number_text}"
        )
        result = "the condition is never true" if above else "the condition is always true"
        return f"{name}, and {then}: {result}", _right(reading, number)
    if above and most > 1 and _RATIO_BEGINS <= number < 1:
        return (
            f"{name}, not a ratio: `{comparison.sign} {comparison.number_text}` is true at any use",
            _right(reading, number),
        )
    return None


def _right(reading: SeriesReading, number: float) -> str:
    if reading.scale == "ratio":
        return (
            f"compare with a number from 0 to 1, such as `{number / 100 if number > 1 else 0.9:g}`"
        )
    if reading.scale == "percent":
        share = number * 100 if number < 1 else min(number, 95)
        return f"compare with a number from 0 to 100, such as `{share:g}`"
    return (
        "compare MiB, or a share: "
        "`DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)`"
    )


def _rates(query: str) -> Iterator[tuple[str, str]]:
    for function, series in rates(query):
        reading = readings().get(series)
        if reading is None:
            continue
        note = (
            f"compare the value itself: `{series} > 0`"
            if reading.scale == "number"
            else f"use the value, `avg_over_time({series}[5m])`, or `deriv`"
        )
        yield (
            f"`{function}` needs a counter, but `{series}` is a gauge: each fall of the value "
            "counts as a restart, so the result means nothing",
            note,
        )


def _of_trigger(query: str, threshold: str) -> Iterator[tuple[str, str]]:
    """Yield the effect of a threshold that does not fit the query's unit."""
    series, number = series_of(query), read_decimal(threshold)
    reading = readings().get(series or "")
    if series is None or number is None or reading is None or reading.most is None:
        return
    if number > reading.most:
        yield (
            f"`{series}` is {_TITLES[reading.scale]}, and never reaches the threshold "
            f"{threshold}: the autoscaler adds no replica",
            _right(reading, number),
        )
    elif reading.most > 1 and 0 < number < 1:
        yield (
            f"`{series}` is {_TITLES[reading.scale]}, not a ratio: any use exceeds the threshold "
            f"{threshold}, and the autoscaler goes to its maximum",
            _right(reading, number),
        )


def _several(query: str, scaler: Object) -> Iterator[tuple[str, str]]:
    """Yield the bare series of servers, of which Prometheus has one for each pod."""
    match = _BARE.fullmatch(query.strip())
    if match is None or not emitters(match[1]) or _ONE_POD.search(match[2] or ""):
        return
    if scaler.spec.get("maxReplicaCount", MOST) == 1:
        return
    yield (
        f"the query returns one series of `{match[1]}` for each pod: with two replicas KEDA "
        "rejects the result, and the number of replicas stays",
        f"write `sum({query.strip()})`",
    )


def _labels(expression: str, collection: Collection) -> Iterator[tuple[str, str]]:
    """Yield labels of the exporter's own pod that are intended for the workload's."""
    if not any(metric.startswith("DCGM_FI_") for metric in metrics_in(expression)):
        return
    if not collection.once(_keeps_target_labels):
        return
    labels = sorted({"pod", "namespace", "container"} & groups(expression))
    if "pod" in labels:
        yield (
            "the label `pod` holds the pod of the DCGM exporter, because the exporter's monitor lacks "
            "`honorLabels: true`: the result names no workload",
            f"group by `{', '.join(f'exported_{label}' for label in labels)}`, or set "
            "`honorLabels: true` in the monitor",
        )
    own_namespaces = collection.once(_exporter_namespaces)
    for selector in _SELECTOR.findall(expression):
        for namespace in _NAMESPACE.findall(selector):
            if namespace not in own_namespaces:
                yield (
                    f'no series has `namespace="{namespace}"`: the label holds the namespace of the '
                    "DCGM exporter, because the exporter's monitor lacks `honorLabels: true`",
                    f'query `exported_namespace="{namespace}"`, or set `honorLabels: true` in the '
                    "monitor",
                )


_SELECTOR = re.compile(r"DCGM_FI_\w+\s*\{([^}]*)\}")
_NAMESPACE = re.compile(r'(?<![a-z_])namespace\s*=\s*"([a-z0-9-]+)"')


def _monitors(collection: Collection) -> list[Object]:
    return [
        monitor
        for kind in ("ServiceMonitor", "PodMonitor")
        for monitor in collection.of("monitoring.coreos.com", kind)
        if "dcgm" in f"{monitor.name} {at(monitor.spec, ('selector', 'matchLabels'))}"
    ]


def _exporter_namespaces(collection: Collection) -> frozenset[str]:
    """Return the namespaces in which a monitor of a run looks for DCGM's exporter."""
    return frozenset(
        name
        for monitor in _monitors(collection)
        for name in (
            monitor.namespace,
            *map(text, items(at(monitor.spec, ("namespaceSelector", "matchNames")))),
        )
    )


def _keeps_target_labels(collection: Collection) -> bool:
    """Return whether every monitor of DCGM's exporter in the run leaves the scraper's own labels
    in place, and there is one."""
    endpoints = [
        mapping(endpoint)
        for monitor in _monitors(collection)
        for field in ("endpoints", "podMetricsEndpoints")
        for endpoint in items(monitor.spec.get(field))
    ]
    return bool(endpoints) and not any(
        endpoint.get("honorLabels") is True
        or endpoint.get("metricRelabelings")
        or endpoint.get("relabelings")
        for endpoint in endpoints
    )


def _gone(metric: str, alert: bool, collection: Collection) -> Iterator[tuple[str, str]]:
    """Yield a series that no release of its server in the run has."""
    then = "the alert never fires" if alert else "the rule records nothing"
    for name in emitters(metric):
        server = runtimes.get(name)
        images = [image for image in collection.once(_images) if runtimes.is_image_of(name, image)]
        for gone in () if server.metrics is None else server.metrics.gone:
            if (
                images
                and plain_series(gone.name) == plain_series(metric)
                and all(runtimes.at_least(image, gone.since) for image in images)
            ):
                yield (
                    f"{server.title} has no `{metric}` since {gone.since}: {then}",
                    f"use `{gone.now}`"
                    if gone.now
                    else "remove the query: no series replaces this one",
                )


def _images(collection: Collection) -> frozenset[str]:
    return frozenset(image for pod in collection.pods for image in pod.images)


def _expressions(rules: Object) -> Iterator[tuple[Path, str, bool]]:
    for number, group in enumerate(map(mapping, items(rules.spec.get("groups")))):
        for index, rule in enumerate(map(mapping, items(group.get("rules")))):
            if isinstance(rule.get("expr"), str):
                path = rules.path("spec", "groups", number, "rules", index, "expr")
                yield path, rule["expr"], "alert" in rule


def _triggers(scaler: Object) -> Iterator[tuple[Path, str, str]]:
    for index, trigger in enumerate(map(mapping, items(scaler.spec.get("triggers")))):
        metadata = mapping(at(trigger, ("metadata",)))
        if trigger.get("type") == "prometheus" and text(metadata.get("query")):
            path = scaler.path("spec", "triggers", index, "metadata", "query")
            yield path, metadata["query"], text(metadata.get("threshold"))
