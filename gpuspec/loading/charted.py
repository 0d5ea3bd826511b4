"""Objects that charts make of releases: what is found in them is said at the values' lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.release import ARGO, FLUX, releases
from gpuspec.loading.origins import Charted
from gpuspec.loading.units import Unit
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import same_namespace
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.charts.release import Release

_SOURCES = "source.toolkit.fluxcd.io"


def charted(units: Iterable[Unit]) -> Iterator[Unit]:
    """The objects that come of the releases among some objects."""
    kept = list(units)
    asking = [unit for unit in kept if unit.object.group in (FLUX, ARGO)]
    if not asking:
        return
    # Most runs meet no release.
    from gpuspec.charts.objects import objects_of

    sources = [unit.object for unit in kept if unit.object.group == _SOURCES]
    for unit in asking:
        if unit.document is None:
            continue
        for release in releases(unit.object):
            told = _located(release, sources)
            for made in objects_of(told):
                one = Object(made.value, file=unit.file)
                where = Charted(unit.object, unit.document, told, made)
                yield Unit(one, where, file=unit.file, charted=where)


def _located(release: Release, sources: list[Object]) -> Release:
    """A release with the chart that the object which it refers to says, where that is at hand."""
    kind, namespace, name = release.source
    named = (one for one in sources if kind and (one.kind, one.name) == (kind, name))
    source = next((one for one in named if same_namespace(one.namespace, namespace)), None)
    if source is None:
        return release
    if kind == "HelmChart":
        chart, version = text(source.spec.get("chart")), text(source.spec.get("version"))
    else:
        chart = text(source.spec.get("url")).rstrip("/")
        version = text(mapping(source.spec.get("ref")).get("tag"))
    return msgspec.structs.replace(
        release,
        chart=chart.rpartition("/")[2],
        version=version.removeprefix("v"),
        source=("", "", ""),
    )
