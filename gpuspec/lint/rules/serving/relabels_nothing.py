"""A relabeling rule whose source label never exists, or that drops a metric that an autoscaler
reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpuspec import runtimes
from gpuspec.kinds import mappings_at
from gpuspec.lint.analysis.serving.monitors import (
    GROUP,
    KINDS,
    pods_of,
    relabellings,
    sanitized,
    services_of,
)
from gpuspec.lint.analysis.serving.signals import emitters, signals
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.scalers import scalers

if TYPE_CHECKING:
    from gpuspec.lint.analysis.serving.monitors import Relabelling
    from gpuspec.lint.analysis.serving.signals import AutoscalerSignal
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU817",
    "relabels-nothing",
    "warning",
    "A relabelling rule matches nothing, or drops a metric that an autoscaler needs",
)
_NAME = "__name__"
_COPIED = re.compile(r"__meta_kubernetes_(pod|service)_label_(\w+)")
_SET = re.compile(
    r"(?:pod_template|controller_revision)_hash|pod_template_generation|job_name|controller_uid"
    r"|(?!app_)\w*(?:kubernetes_io|k8s_io|volcano_sh|kubeflow_org|ray_io|knative_dev|kserve_io)_\w+"
)
"""Labels of pods that controllers set."""
_THEN = {
    "keep": "nothing is scraped",
    "keepequal": "nothing is scraped",
    "drop": "it drops nothing",
    "replace": "it has no effect",
}
_DROPS = {
    "keep": "every sample is dropped",
    "replace": "`{target}` stays empty",
}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Check the relabeling rules of every monitor, and the labels that it copies."""
    for kind in KINDS:
        for monitor in collection.of(GROUP, kind):
            for rule in relabellings(monitor):
                yield from _misplaced(monitor, rule)
                yield from _dropped(monitor, rule, collection)
            yield from _copied(monitor, collection)


def _misplaced(monitor: Object, rule: Relabelling) -> Iterator[RawFinding]:
    """Yield a rule in the wrong list: its labels exist only before, or only after, the scrape."""
    for index, source in enumerate(rule.sources):
        path = monitor.path(*rule.path, "sourceLabels", index)
        if rule.field == "relabelings" and source == _NAME and rule.takes("") is False:
            then = _THEN.get(rule.action, "it has no effect")
            yield RawFinding(
                path,
                f"`relabelings` run before the scrape, when no metric has a `{_NAME}` yet: the "
                f"rule never matches, so {then}",
                note="move the rule to `metricRelabelings`",
                object=monitor.number,
            )
        elif rule.field == "metricRelabelings" and source.startswith("__meta_"):
            then = _DROPS.get(rule.action, "it has no effect").format(target=rule.target)
            yield RawFinding(
                path,
                f"`metricRelabelings` run after the scrape, when `{source}` is gone: {then}",
                note="move the rule to `relabelings`",
                object=monitor.number,
            )


def _copied(monitor: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield labels that are copied from what carries none of that name."""
    copied_labels = list(_asked(monitor))
    if not copied_labels:
        return
    pods = pods_of(monitor, collection)
    labels_and_things = {
        "pod": ({sanitized(key) for pod in pods for key in pod.labels}, pods),
        "service": (
            {
                sanitized(key)
                for obj in services_of(monitor, collection)
                for key in obj.labels
                if isinstance(key, str)
            },
            services_of(monitor, collection),
        ),
    }
    for path, noun, label, target, action in copied_labels:
        labels, things = labels_and_things[noun]
        if not things or label in labels or _SET.fullmatch(label):
            continue
        readers = [
            query_entry
            for query_entry in collection.once(_queries)
            if _reads(query_entry[2], target)
        ]
        then = (
            "nothing is scraped"
            if action == "keep"
            else (
                f"{readers[0][0].kind} `{readers[0][0].name}`, which queries this label, finds "
                "nothing"
            )
            if readers
            else f"metrics have no `{target}`, and queries for this label find nothing"
        )
        yield RawFinding(
            path,
            f"the monitor copies the {noun}s' label `{label}`, but no {noun} in these files has this "
            f"label: {then}",
            note=f"add the label `{label}` to the {noun}s",
            severity=None if readers or action == "keep" else "info",
            confidence="likely",
            object=monitor.number,
            related=tuple(
                RelatedPlace(obj.number, place, "needs the label") for obj, place, _ in readers[:1]
            ),
        )


def _asked(
    monitor: Object,
) -> Iterator[tuple[Path, str, str, str, str]]:
    """Yield where, of what, which label, as which one, and what becomes of a target without it."""
    for rule in relabellings(monitor):
        if rule.field != "relabelings" or rule.action not in ("replace", "keep"):
            continue
        if rule.action == "keep" and rule.takes("") is not False:
            continue
        # What is put together of several, or of others, may be meant for those few that have it.
        if rule.action == "replace" and ("replacement" in rule.value or len(rule.sources) != 1):
            continue
        for index, source in enumerate(rule.sources):
            match = _COPIED.fullmatch(source)
            if match is not None:
                path = monitor.path(*rule.path, "sourceLabels", index)
                yield path, match[1], match[2], rule.target or match[2], rule.action
    for field, noun in (("podTargetLabels", "pod"), ("targetLabels", "service")):
        for index, label in enumerate(items(monitor.spec.get(field))):
            if isinstance(label, str) and placeholder(label) is None:
                name = sanitized(label)
                yield monitor.path("spec", field, index), noun, name, name, "replace"


def _queries(collection: Collection) -> list[tuple[Object, Path, str]]:
    """Return the queries of these objects."""
    query_list = [
        (scaler.object, signal.path, signal.text)
        for scaler in scalers(collection)
        for signal in signals(scaler)
        if signal.kind == "query"
    ]
    for obj in collection.of(GROUP, "PrometheusRule"):
        for path, rule in mappings_at(obj.value, ("spec.groups.*.rules.*",)):
            query_list.append((obj, obj.path(*path, "expr"), text(rule.get("expr"))))
    return query_list


def _reads(query: str, label: str) -> bool:
    return re.search(rf"[{{,]\s*{re.escape(label)}\s*!?=", query) is not None


def _dropped(monitor: Object, rule: Relabelling, collection: Collection) -> Iterator[RawFinding]:
    """Yield a metric that an autoscaler of the scraped pods reads, and that the rule drops."""
    if rule.field != "metricRelabelings" or rule.sources != [_NAME]:
        return
    if rule.action not in ("keep", "drop"):
        return
    for scaler, signal, metric in _metrics(monitor, collection):
        if rule.takes(metric) is (rule.action == "drop"):
            yield RawFinding(
                monitor.path(*rule.path, "regex"),
                f"the rule drops `{metric}`, which {scaler.kind} `{scaler.name}` reads: the "
                "autoscaler gets no value and does nothing",
                note=f"keep `{metric}` in the rule",
                confidence="likely",
                object=monitor.number,
                related=(RelatedPlace(scaler.number, signal.path, "reads it"),),
            )


def _metrics(
    monitor: Object, collection: Collection
) -> Iterable[tuple[Object, AutoscalerSignal, str]]:
    """Yield what autoscalers read of the servers that a monitor scrapes."""
    servers = {
        runtimes.recognise(image) for pod in pods_of(monitor, collection) for image in pod.images
    }
    for scaler in scalers(collection):
        for signal in signals(scaler):
            if signal.kind == "query":
                for metric in signal.metrics:
                    if emitters(metric) & servers:
                        yield scaler.object, signal, metric
