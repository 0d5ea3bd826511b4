"""From releases to objects: which charts are known, and what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts import app_template, parts
from gpuspec.charts.tables import rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.made import Made
    from gpuspec.charts.release import Release


def objects_of(release: Release) -> Iterator[Made]:
    """The objects that come of a release: whole ones of a chart that is known, else parts."""
    is_app = release.chart == app_template.NAME or bool(release.source[0])
    if is_app and app_template.looks_like(release.values):
        yield from app_template.make(release)
    elif (row := rows().get(release.chart)) is not None:
        yield from parts.told(release, row)
    else:
        yield from parts.plain(release)
