"""Objects of charts' releases and of operators: their findings are reported at the lines of the
values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.release import ARGO, FLUX, HELM, K3S, KUSTOMIZE, releases
from gpuspec.loading.origins import ChartOrigin
from gpuspec.loading.units import Unit
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.release import Release

_ASKING = (FLUX, ARGO, KUSTOMIZE, HELM, K3S)


def charted(units: Iterable[Unit], rendered: Collection[tuple[str, str]] = ()) -> Iterator[Unit]:
    """Yield the objects of the releases among some objects, and the servers that operators start.

    `rendered` are the releases that are left out because helm has rendered them, each by its file and
    its name.
    """
    unit_list = list(units)
    asking = [unit for unit in unit_list if unit.object.group in _ASKING]
    if asking:
        for unit, release, obj in _released(asking, unit_list, rendered):
            yield from _unit(unit, release, obj)
    for unit in unit_list:
        if unit.object.traits.starts_server:
            for release, obj in _operated(unit.object):
                yield from _unit(unit, release, obj)


def _released(
    asking: list[Unit], units: list[Unit], rendered: Collection[tuple[str, str]]
) -> Iterator[tuple[Unit, Release, ChartObject]]:
    """Yield each release among some units, with its objects."""
    # Most runs meet no release.
    from gpuspec.charts.located import SOURCES, located
    from gpuspec.charts.objects import objects_of, with_subcharts
    from gpuspec.loading.local_charts import located_in_tree

    sources = [unit.object for unit in units if unit.object.group == SOURCES]
    for unit in asking:
        for release in releases(unit.object):
            if (unit.file, release.name) in rendered:
                continue
            located_releases = (located(release, sources), *located_in_tree(release, unit.file))
            for found_release in (
                with_subchart
                for release_located in located_releases
                for with_subchart in with_subcharts(release_located)
            ):
                for chart_object in objects_of(found_release):
                    yield unit, found_release, chart_object


def _operated(obj: Object) -> Iterator[tuple[Release, ChartObject]]:
    """Yield an operator's object, with the server that the operator starts from its spec."""
    from gpuspec.charts.operated import spec_of, started

    release = spec_of(obj)
    chart_object = started(release)
    if chart_object is not None:
        yield release, chart_object


def _unit(unit: Unit, release: Release, chart_object: ChartObject) -> Iterator[Unit]:
    if unit.document is not None:
        where = ChartOrigin(unit.object, unit.document, release, chart_object)
        yield Unit(Object(chart_object.value, file=unit.file), where, file=unit.file, charted=where)
