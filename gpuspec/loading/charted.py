"""Objects that charts make of releases: what is found in them is said at the values' lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.release import ARGO, FLUX, HELM, KUSTOMIZE, releases
from gpuspec.loading.origins import Charted
from gpuspec.loading.units import Unit
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ASKING = (FLUX, ARGO, KUSTOMIZE, HELM)


def charted(units: Iterable[Unit]) -> Iterator[Unit]:
    """The objects that come of the releases among some objects."""
    kept = list(units)
    asking = [unit for unit in kept if unit.object.group in _ASKING]
    if not asking:
        return
    # Most runs meet no release.
    from gpuspec.charts.located import SOURCES, located
    from gpuspec.charts.objects import objects_of, with_subcharts

    sources = [unit.object for unit in kept if unit.object.group == SOURCES]
    for unit in asking:
        if unit.document is None:
            continue
        for release in releases(unit.object):
            for told in with_subcharts(located(release, sources)):
                for made in objects_of(told):
                    one = Object(made.value, file=unit.file)
                    where = Charted(unit.object, unit.document, told, made)
                    yield Unit(one, where, file=unit.file, charted=where)
