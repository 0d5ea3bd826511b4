"""Files of values whose chart another file names: each is read as its release's values.

These are the values of dependencies next to a chart's Chart.yaml, files that a helmfile, an
Application of Argo CD or a kustomization names, and ConfigMaps that a release of Flux names. Only
files that were named, or are in a named folder, are read.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.charts.release import (
    ARGO,
    FLUX,
    KUSTOMIZE,
    Release,
    ReleaseRequest,
    last_part,
    of_kustomize,
    releases,
)
from gpuspec.loading import flux_values
from gpuspec.loading.folders import above
from gpuspec.loading.local_charts import CHART, brought
from gpuspec.loading.units import Unit
from gpuspec.manifests import Document, InputError, read
from gpuspec.manifests.files import content
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

_VALUES = re.compile(r"values.*\.ya?ml")
_HELMFILE = re.compile(r"helmfile\.ya?ml")
_REFERENCE = re.compile(r"\$[\w-]+/")


class ValuesFileUse(msgspec.Struct, frozen=True):
    """A file that another one names as a chart's values."""

    file: str
    release: Release
    """The release without its values."""


def values_files(file_names: Sequence[str], units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield the releases that the named files of values stand for."""
    files_by_name, unit_list = _FilesByName(file_names), list(units)
    charts_of_files: set[tuple[str, str]] = set()
    for file_use in _wanted(files_by_name, unit_list):
        files = files_by_name.by_place
        chart, file = file_use.release.chart, os.path.realpath(file_use.file)
        if (
            file in files
            and (file, chart) not in charts_of_files
            and (document := _read(files[file]))
        ):
            charts_of_files.add((file, chart))
            if chart or file_use.release.folder:
                filled_release = msgspec.structs.replace(
                    file_use.release, values=mapping(document.value)
                )
                releases: tuple[Release, ...] = (filled_release,)
            else:
                filled_release = msgspec.structs.replace(
                    file_use.release, values=mapping(document.value)
                )
                folder = os.path.dirname(files[file])
                releases = tuple(release for _, release in brought(filled_release, folder))
            if releases:
                yield _unit(files[file], document, releases)
    for source in flux_values.sources(unit_list):
        for unit, release in flux_values.written(source, unit_list):
            if unit.document is not None:
                yield _unit(unit.file, unit.document, (release,))
    helmfiles = [file for file in file_names if _HELMFILE.fullmatch(os.path.basename(file))]
    for file in _FilesByName(helmfiles).by_place.values():
        yield from _inline(file)


class _FilesByName:
    """Files by their names, and by their places, which are resolved on first use."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    @cached_property
    def by_place(self) -> dict[str, str]:
        """The name of each, with links followed."""
        return {os.path.realpath(name): name for name in self.names}


def _wanted(files: _FilesByName, units: list[Unit]) -> Iterator[ValuesFileUse]:
    for file in files.names:
        folder, name = os.path.split(file)
        if _HELMFILE.fullmatch(name):
            yield from _of_helmfile(file)
        elif name in ("values.yaml", "values.yml") and os.path.isfile(os.path.join(folder, CHART)):
            yield ValuesFileUse(file, _release("", "", whole=_is_alone(folder)))
    for unit in units:
        if unit.object.is_a(ARGO, "Application"):
            yield from _of_argo(unit.object, files)
        elif unit.object.is_a(FLUX, "HelmRelease"):
            yield from _of_flux(unit.object, files)
        elif unit.object.is_a(KUSTOMIZE, "Kustomization"):
            yield from _of_kustomization(unit.object)
    for source in flux_values.sources(units):
        for name in flux_values.generated(source, units):
            yield ValuesFileUse(name, source.release)


def _unit(file: str, document: Document, found_releases: tuple[Release, ...]) -> Unit:
    return Unit(ReleaseRequest(file, found_releases), document, document, file=file)


def _of_argo(obj: Object, files: _FilesByName) -> Iterator[ValuesFileUse]:
    source = mapping(obj.spec.get("source"))
    for source_entry in (source, *map(mapping, items(obj.spec.get("sources")))):
        helm = mapping(source_entry.get("helm"))
        value_files = [path for path in items(helm.get("valueFiles")) if isinstance(path, str)]
        alone = len(value_files) == 1 and not any(
            helm.get(key) for key in ("parameters", "values", "valuesObject")
        )
        release = msgspec.structs.replace(
            _release(
                last_part(text(source_entry.get("chart"))), text(source_entry.get("targetRevision"))
            ),
            whole=alone,
            name=text(helm.get("releaseName")) or obj.name,
            namespace=text(at(obj.spec, ("destination", "namespace"))),
            folder="" if source_entry.get("chart") else text(source_entry.get("path")),
        )
        for path in value_files:
            if _REFERENCE.match(path):
                steps = _REFERENCE.sub("", path, count=1)
            elif not release.chart and (folder := text(source_entry.get("path"))):
                steps = os.path.join(folder, path)
            else:
                continue
            if (file := _from_root(steps, obj.file, files)) is not None:
                yield ValuesFileUse(file, release)


def _of_flux(obj: Object, files: _FilesByName) -> Iterator[ValuesFileUse]:
    """Yield the files next to a chart of a Git repository, which Flux names from the repository's
    root.
    """
    paths = items(at(obj.spec, ("chart", "spec", "valuesFiles")))
    alone = len(paths) == 1 and not obj.spec.get("values") and not obj.spec.get("valuesFrom")
    for release in releases(obj) if paths else ():
        with_file = msgspec.structs.replace(release, values={}, path=(), is_text=False, whole=alone)
        for path in filter(None, map(text, paths)):
            if release.folder and (file := _from_root(path, obj.file, files)) is not None:
                yield ValuesFileUse(file, with_file)


def _from_root(path: str, file: str, files: _FilesByName) -> str | None:
    """Return a file that is named from the root of its repository, which is above another file."""
    for folder in above(os.path.dirname(os.path.abspath(file))):
        full = os.path.realpath(os.path.join(folder, path.lstrip("/")))
        if full in files.by_place:
            return full
    return None


def _of_kustomization(obj: Object) -> Iterator[ValuesFileUse]:
    folder = os.path.dirname(obj.file)
    for chart in map(mapping, items(obj.value.get("helmCharts"))):
        more = [
            named_path
            for named_path in items(chart.get("additionalValuesFiles"))
            if text(named_path)
        ]
        value_files = [text(chart.get("valuesFile")), *more]
        release = of_kustomize(chart, {}, (), chart.get("valuesInline") or len(value_files) > 1)
        for path in filter(None, value_files):
            yield ValuesFileUse(os.path.join(folder, path), release)


def _of_helmfile(file: str) -> Iterator[ValuesFileUse]:
    folder = os.path.dirname(file)
    for _, _, release, files in _releases(file):
        for path in (named_path for named_path in files if isinstance(named_path, str)):
            yield ValuesFileUse(os.path.join(folder, path), release)


def _inline(file: str) -> Iterator[Unit]:
    """Yield the releases of a helmfile whose values stand in it."""
    for document, path, release, values_list in _releases(file):
        for index, values in enumerate(values_list):
            if isinstance(values, dict):
                with_values = msgspec.structs.replace(release, values=values, path=(*path, index))
                yield _unit(file, document, (with_values,))


def _releases(file: str) -> Iterator[tuple[Document, Path, Release, list[Any]]]:
    """Yield the releases of a helmfile without their values, each with its values: mappings and
    paths of files.
    """
    for document in _all(file):
        for index, entry in enumerate(items(mapping(document.value).get("releases"))):
            release_entry = mapping(entry)
            values = items(release_entry.get("values"))
            release = msgspec.structs.replace(
                _release(
                    last_part(text(release_entry.get("chart"))), text(release_entry.get("version"))
                ),
                whole=len(values) == 1 and not release_entry.get("set"),
                name=text(release_entry.get("name")),
                namespace=text(release_entry.get("namespace")),
            )
            if release.chart:
                yield document, ("releases", index, "values"), release, values


def _release(chart: str, version: str, *, whole: bool = True) -> Release:
    return Release(
        chart=chart,
        version=version.removeprefix("v"),
        values={},
        path=(),
        is_text=False,
        whole=whole,
    )


def _is_alone(folder: str) -> bool:
    """Return whether a folder has a single file of values; with several, others would be merged
    over it."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return False
    return sum(_VALUES.fullmatch(name) is not None for name in names) == 1


def _read(file: str) -> Document | None:
    documents = _all(file)
    return documents[0] if len(documents) == 1 else None


def _all(file: str) -> list[Document]:
    """Return the documents of a file; none if it cannot be read, or is a template."""
    try:
        return list(read(content(file), file))
    except (InputError, ValueError):
        return []
