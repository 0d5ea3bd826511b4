"""Releases of charts as rules ask about them: their chart looked up, and those that it brings along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.located import KINDS, SOURCES, located
from gpuspec.charts.objects import with_subcharts
from gpuspec.charts.release import releases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object


def releases_of(one: Object, context: Context) -> Iterator[Release]:
    """The releases that come of an object."""
    sources = [each for kind in KINDS for each in context.collection.of(SOURCES, kind)]
    for release in releases(one):
        yield from with_subcharts(located(release, sources))
