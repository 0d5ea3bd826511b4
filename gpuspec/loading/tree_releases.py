"""Render releases whose chart is a folder of the tree with the installed helm."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.release import ARGO, FLUX, releases
from gpuspec.loading.helm import TemplateError, program, template
from gpuspec.loading.notes import LoadingNote
from gpuspec.loading.reach import objects_of
from gpuspec.manifests import SourceFile, decode
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.loading.inputs import Inputs

_MARKS = (f"{ARGO}/", f"{FLUX}/")
_VARIABLE = "${"
"""A variable that Flux or Argo CD fills in before Helm reads the values."""
_AT_ONCE = 4
"""The number of programs that run in parallel."""


class _TreeRelease(msgspec.Struct, frozen=True):
    """A release, and its chart."""

    file: str
    release: Release
    folder: str


def with_releases(inputs: Inputs) -> Inputs:
    """Return inputs with the objects of releases whose chart is in the same tree.

    A note names each release that cannot be rendered: helm sees no cluster here, so the release
    need not fail there.
    """
    tree_releases = [*_releases(inputs)]
    if not tree_releases:
        return inputs
    helm = program()
    if helm is None:
        notes = [
            LoadingNote(
                asking.file, f"`{asking.release.name}`: no helm is installed to render its chart"
            )
            for asking in tree_releases
        ]
        return msgspec.structs.replace(inputs, notes=(*inputs.notes, *notes))
    # Most runs meet no such release.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        results = [*pool.map(partial(_rendered, helm), tree_releases)]
    sources = [result for result in results if isinstance(result, SourceFile)]
    rendered = [
        tree_release
        for tree_release, result in zip(tree_releases, results, strict=True)
        if isinstance(result, SourceFile)
    ]
    clusters = {
        source.name: inputs.clusters[tree_release.file]
        for source, tree_release in zip(sources, rendered, strict=True)
        if tree_release.file in inputs.clusters
    }
    return msgspec.structs.replace(
        inputs,
        sources=(*inputs.sources, *sources),
        notes=(*inputs.notes, *(result for result in results if isinstance(result, LoadingNote))),
        clusters={**inputs.clusters, **clusters},
        rendered=frozenset((release.file, release.release.name) for release in rendered),
    )


def _releases(inputs: Inputs) -> Iterator[_TreeRelease]:
    """Yield the releases among the objects of the files."""
    from gpuspec.loading.local_charts import chart_folder

    for source in inputs.sources:
        if not any(mark in source.text for mark in _MARKS):
            continue
        for value in objects_of(source, _MARKS):
            for release in releases(Object(value, file=source.name)):
                folder = chart_folder(release.folder, source.name) if release.folder else None
                if folder is not None:
                    yield _TreeRelease(source.name, release, os.path.relpath(folder))


def _rendered(helm: str, tree_release: _TreeRelease) -> SourceFile | LoadingNote:
    """Return the objects of a release, or why they are unknown."""
    import json

    release, folder = tree_release.release, tree_release.folder
    values = json.dumps(release.values, default=str) if release.values else ""
    if not release.is_final or _VARIABLE in values:
        why = "what it makes depends on more than this object says"
        return LoadingNote(tree_release.file, f"`{release.name}` is not rendered: {why}")
    namespace = (f"--namespace={release.namespace}",) if release.namespace else ()
    try:
        output = template(helm, folder, release.name, namespace, values)
    except TemplateError as error:
        return LoadingNote(tree_release.file, f"`{release.name}` is not rendered: {error}")
    name = f"{tree_release.file} <helm template {release.name} {folder}>"
    return SourceFile(name, decode(output, name).text, generated=True)
