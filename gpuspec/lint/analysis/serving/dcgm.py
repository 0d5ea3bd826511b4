"""Readers of the DCGM exporter's metrics, and the scraping settings of the GPU Operator's chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.serving.monitors import GROUP
from gpuspec.lint.analysis.serving.signals import signals
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.numbers import read_version
from gpuspec.objects.scalers import scalers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

_SERIES = "DCGM_FI_"
_EXPORTER: Path = ("dcgmExporter", "enabled")
_SCRAPED: Path = ("dcgmExporter", "serviceMonitor", "enabled")
# NVIDIA/gpu-operator v22.9.0 to v26.7.0 deployments/gpu-operator/values.yaml: true from 2e241753 on.
_SINCE = (26, 7)


class Reader(msgspec.Struct, frozen=True):
    """An alert, a recording rule or an autoscaler that queries a series of the exporter."""

    object: Object
    path: Path
    then: str
    """The consequence of the missing series."""


class ScrapingOff(msgspec.Struct, frozen=True):
    """A value of the chart that is false, so that the exporter is not scraped."""

    path: Path
    written: bool
    """Whether it is set; otherwise it is the release's default."""


def readers(collection: Collection) -> Iterator[Reader]:
    """Yield the readers of the exporter's metrics."""
    for scaler in scalers(collection):
        for signal in signals(scaler):
            if _SERIES in signal.text:
                yield Reader(scaler.object, signal.path, "nothing scales")
    for rules in collection.of(GROUP, "PrometheusRule"):
        for number, group in enumerate(map(mapping, items(rules.spec.get("groups")))):
            for index, rule in enumerate(map(mapping, items(group.get("rules")))):
                if _SERIES in text(rule.get("expr")):
                    alert = text(rule.get("alert"))
                    then = f"alert `{alert}` never fires" if alert else "the rule records nothing"
                    path = rules.path("spec", "groups", number, "rules", index, "expr")
                    yield Reader(rules, path, then)


def unscraped(release: Release) -> ScrapingOff | None:
    """Return the setting that keeps the GPU Operator's exporter from being scraped; None if
    unknown."""
    if at(release.values, _EXPORTER) is False:
        return ScrapingOff(_EXPORTER, written=True)
    scraped = at(release.values, _SCRAPED)
    if scraped is False:
        return ScrapingOff(_SCRAPED, written=True)
    version = read_version(release.version)
    # `26.x` may be any of its releases.
    is_default = scraped is None and len(version) > 1
    return ScrapingOff(_SCRAPED, written=False) if is_default and version < _SINCE else None
