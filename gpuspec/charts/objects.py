"""From releases to objects: the known charts, and the objects that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts import app_template, partial_pods
from gpuspec.charts.tables import chart_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.release import Release


def objects_of(release: Release) -> Iterator[ChartObject]:
    """Yield the objects of a release: complete ones of a known chart, or else parts."""
    if is_app_template(release):
        yield from app_template.make(release)
        return
    chart = chart_of(release.chart)
    if chart is None or not chart.rows:
        yield from partial_pods.plain(release)
    if chart is not None:
        for row in chart.rows:
            yield from partial_pods.told(release, row)
        yield from partial_pods.configured(release, chart.configurations)


def with_subcharts(release: Release) -> Iterator[Release]:
    """Yield a release, and those of its chart's known dependencies."""
    yield release
    chart = chart_of(release.chart)
    for key, name in ({} if chart is None else chart.subcharts).items():
        if isinstance(release.values.get(key), dict):
            yield from with_subcharts(release.brought(key, name))


def is_app_template(release: Release) -> bool:
    """Return whether a release is of app-template, which its values identify if no chart is named."""
    is_candidate = release.chart == app_template.NAME or bool(release.source[0])
    return is_candidate and app_template.looks_like(release.values)
