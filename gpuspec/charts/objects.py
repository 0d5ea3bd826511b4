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
    if is_app_template(release):
        yield from app_template.make(release)
    elif (row := rows().get(release.chart)) is not None:
        yield from parts.told(release, row)
    else:
        yield from parts.plain(release)


def is_app_template(release: Release) -> bool:
    """Whether a release is of app-template, which is known by its values where no chart is named."""
    named = release.chart == app_template.NAME or bool(release.source[0])
    return named and app_template.looks_like(release.values)
