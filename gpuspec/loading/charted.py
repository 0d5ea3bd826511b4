"""Objects that charts make of releases, and operators of specs: what is found in them is said at the
lines of the values."""

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

    from gpuspec.charts.made import Made
    from gpuspec.charts.release import Release

_SOURCES = "source.toolkit.fluxcd.io"


def charted(units: Iterable[Unit]) -> Iterator[Unit]:
    """The objects that come of the releases among some objects, and the servers of operators' kinds."""
    kept = list(units)
    asking = [unit for unit in kept if unit.object.group in (FLUX, ARGO)]
    if asking:
        sources = [unit.object for unit in kept if unit.object.group == _SOURCES]
        for unit in asking:
            for release, made in _released(unit.object, sources):
                yield from _unit(unit, release, made)
    for unit in kept:
        if unit.object.traits.starts_server:
            for release, made in _operated(unit.object):
                yield from _unit(unit, release, made)


def _released(one: Object, sources: list[Object]) -> Iterator[tuple[Release, Made]]:
    # Most runs meet no release.
    from gpuspec.charts.objects import objects_of

    for release in releases(one):
        told = _located(release, sources)
        for made in objects_of(told):
            yield told, made


def _operated(one: Object) -> Iterator[tuple[Release, Made]]:
    from gpuspec.charts.operated import spec_of, started

    told = spec_of(one)
    made = started(told)
    if made is not None:
        yield told, made


def _unit(unit: Unit, release: Release, made: Made) -> Iterator[Unit]:
    if unit.document is not None:
        where = Charted(unit.object, unit.document, release, made)
        yield Unit(Object(made.value, file=unit.file), where, file=unit.file, charted=where)


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
