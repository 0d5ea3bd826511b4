"""From releases to objects: which charts are known, and what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts import app_template, partial_pods
from gpuspec.charts.tables import chart_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.release import Release


def objects_of(release: Release) -> Iterator[ChartObject]:
    """Yield the objects that come of a release: whole ones of a chart that is known, else parts."""
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
    """Yield a release, and those of the charts that its chart is known to bring along."""
    yield release
    chart = chart_of(release.chart)
    for key, name in ({} if chart is None else chart.subcharts).items():
        if isinstance(release.values.get(key), dict):
            yield from with_subcharts(release.brought(key, name))


def is_app_template(release: Release) -> bool:
    """Return whether a release is of app-template, which is known by its values where no chart is
    named."""
    named = release.chart == app_template.NAME or bool(release.source[0])
    return named and app_template.looks_like(release.values)
