"""A query for a series that no release of its program has, often with an underscore for a colon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.signals import colon_spelling, known_like, metrics_in, unknown_to
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU898",
    "series-misspelled",
    "warning",
    "A query names a series that no release of its program has",
)
_RULES = ("monitoring.coreos.com", "PrometheusRule")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield queries of autoscalers and alerts, which Prometheus answers by the exact name."""
    alerts = obj.is_a(*_RULES)
    then = "the rule never fires" if alerts else "the autoscaler gets no value and does nothing"
    recorded = context.collection.once(_recorded)
    for path, query in _expressions(obj) if alerts else _queries(obj):
        for metric in metrics_in(query):
            if metric in recorded:
                continue
            name = colon_spelling(metric)
            if name is None and (title := unknown_to(metric)) is not None:
                from gpuspec.escaping.meant import did_you_mean

                yield RawFinding(
                    path,
                    f"no release of {title} has the series `{metric}`: {then}",
                    note=did_you_mean(metric, known_like(metric)),
                    confidence="likely",
                )
                break
            if name is not None:
                yield RawFinding(
                    path,
                    f"`{metric}` does not exist; the series is `{name}`, with a colon: {then}",
                    note=f"write `{name}`",
                    confidence="likely",
                )
                break


def _queries(obj: Object) -> Iterator[tuple[Path, str]]:
    for index, trigger in enumerate(map(mapping, items(obj.spec.get("triggers")))):
        query = text(at(trigger, ("metadata", "query")))
        if trigger.get("type") == "prometheus" and query:
            yield obj.path("spec", "triggers", index, "metadata", "query"), query


def _expressions(obj: Object) -> Iterator[tuple[Path, str]]:
    for group_index, group in enumerate(map(mapping, items(obj.spec.get("groups")))):
        for index, rule in enumerate(map(mapping, items(group.get("rules")))):
            if isinstance(rule.get("expr"), str):
                path = obj.path("spec", "groups", group_index, "rules", index, "expr")
                yield path, rule["expr"]


def _recorded(collection: Collection) -> frozenset[str]:
    """Return the series that recording rules of the run make."""
    return frozenset(
        text(mapping(rule).get("record"))
        for obj in collection.of(*_RULES)
        for group in items(obj.spec.get("groups"))
        for rule in items(mapping(group).get("rules"))
    )
