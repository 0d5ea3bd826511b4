"""Monitors of metrics: their endpoints, selectors, and labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.lint.analysis.reading.labels import plain_labels
from gpuspec.lint.analysis.serving.selecting import keeps_labels, selector
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection, PodFacts
    from gpuspec.objects.objects import Object

GROUP = "monitoring.coreos.com"
_ENDPOINTS = {
    "ServiceMonitor": "spec.endpoints.*",
    "PodMonitor": "spec.podMetricsEndpoints.*",
    "Probe": "spec",
    "ScrapeConfig": "spec",
}
KINDS = tuple(_ENDPOINTS)
_PLAIN = re.compile(r"[A-Za-z0-9_:|().*+?^$\[\]\\-]*")
"""A regular expression for names that is fast on any input."""
_SLOW = re.compile(r"[)*+?][*+]|\(\?")
_LONGEST = 2000

Field = Literal["relabelings", "metricRelabelings"]


class Relabelling(msgspec.Struct, frozen=True):
    """One rule of an endpoint."""

    field: Field
    """`relabelings` apply to the target, before the scrape, the others to each sample."""
    path: Path
    """The path in the object."""
    value: dict[str, Any]

    @property
    def action(self) -> str:
        """What it does."""
        return text(self.value.get("action")).lower() or "replace"

    @property
    def sources(self) -> list[str]:
        """The labels that it reads."""
        return [
            source_label
            for source_label in items(self.value.get("sourceLabels"))
            if isinstance(source_label, str)
        ]

    @property
    def target(self) -> str:
        """The label that it writes."""
        return text(self.value.get("targetLabel"))

    def takes(self, name: str) -> bool | None:
        """Return whether its expression matches a name; None if this is not evaluated."""
        regex = self.value.get("regex", ".*")
        if not isinstance(regex, str) or len(regex) > _LONGEST:
            return None
        if not _PLAIN.fullmatch(regex) or _SLOW.search(regex):
            return None
        try:
            return re.fullmatch(regex, name) is not None
        except (re.error, RecursionError):
            return None


def relabellings(monitor: Object) -> Iterator[Relabelling]:
    """Yield all rules of a monitor."""
    fields: tuple[Field, ...] = ("relabelings", "metricRelabelings")
    for path, endpoint in mappings_at(monitor.value, (_ENDPOINTS[monitor.kind],)):
        for field in fields:
            for index, rule in enumerate(items(endpoint.get(field))):
                if isinstance(rule, dict):
                    yield Relabelling(field, (*path, field, index), rule)


def services_of(monitor: Object, collection: Collection) -> list[Object]:
    """Return the Services of the set that a ServiceMonitor selects."""
    labels = selector(monitor)
    if monitor.kind != "ServiceMonitor" or not labels:
        return []
    return [
        service
        for namespace in _namespaces(monitor)
        for service in collection.within("", "Service", namespace)
        if labels.items() <= plain_labels(service).items()
    ]


def pods_of(monitor: Object, collection: Collection, port: str = "") -> list[PodFacts]:
    """Return the scraped pods of the set; empty if operators add to their labels.

    A ServiceMonitor scrapes only the pods of the Services that have the named port.
    """
    if monitor.kind == "PodMonitor":
        selected_labels = selector(monitor)
        chosen = [
            (namespace, selected_labels) for namespace in _namespaces(monitor) if selected_labels
        ]
    else:
        services = [
            service
            for service in services_of(monitor, collection)
            if not port
            or any(mapping(entry).get("name") == port for entry in items(service.spec.get("ports")))
        ]
        chosen = [
            (service.namespace, labels) for service in services if (labels := selector(service))
        ]
    pods = [
        pod
        for namespace_and_labels in chosen
        for pod in collection.selected(*namespace_and_labels).pods
    ]
    return pods if all(map(keeps_labels, pods)) else []


def _namespaces(monitor: Object) -> list[str]:
    """Return the namespaces of a monitor's selector; the empty one is all."""
    where = mapping(monitor.spec.get("namespaceSelector"))
    if where.get("any") is True:
        return [""]
    match_names = [
        match_name for match_name in items(where.get("matchNames")) if isinstance(match_name, str)
    ]
    return match_names or [monitor.namespace]


def sanitized(label: str) -> str:
    """Return a Kubernetes label by its Prometheus name."""
    return re.sub(r"[^A-Za-z0-9_]", "_", label)
