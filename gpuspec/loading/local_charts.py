"""Charts of the tree: their dependencies, by their Chart.yaml."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.loading.folders import above
from gpuspec.manifests import InputError, read
from gpuspec.manifests.files import content
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release

CHART = "Chart.yaml"
_VALUES = ("values.yaml", "values.yml")


def located_in_tree(release: Release, file: str) -> Iterator[Release]:
    """Yield the releases of the dependencies of a release's chart, if the chart is a folder of the
    repository."""
    folder = chart_folder(release.folder, file) if release.folder else None
    if folder is None:
        return
    laid_under = [mapping(_value(os.path.join(folder, name))) for name in _VALUES]
    for key, dependency in brought(release, folder):
        whole = dependency.whole and not any(key in values for values in laid_under)
        yield msgspec.structs.replace(dependency, whole=whole)


def brought(release: Release, folder: str) -> Iterator[tuple[str, Release]]:
    """Yield the releases of the dependencies of the chart in a folder, each with the key of its
    values.
    """
    chart = mapping(_value(os.path.join(folder, CHART)))
    release = msgspec.structs.replace(release, name=release.name or text(chart.get("name")))
    dependencies = [mapping(dependency) for dependency in items(chart.get("dependencies"))]
    conditions = [
        condition.strip().split(".")
        for dependency in dependencies
        for condition in text(dependency.get("condition")).split(",")
    ]
    for dependency in dependencies:
        name = text(dependency.get("name"))
        key = text(dependency.get("alias")) or name
        if isinstance(release.values.get(key), dict):
            version = text(dependency.get("version")).removeprefix("v")
            yield (
                key,
                msgspec.structs.replace(
                    release.brought(key, name),
                    version=version,
                    conditions=tuple(
                        steps[1] for steps in conditions if steps[0] == key and steps[1:]
                    ),
                ),
            )


def chart_folder(path: str, file: str) -> str | None:
    """Return the folder of a chart, which is named from the root of the repository that a file lies
    in."""
    for root in above(os.path.dirname(os.path.abspath(file))):
        folder = os.path.normpath(os.path.join(root, path.lstrip("/")))
        # A path may lead out of the repository, which is nobody's to read.
        is_inside = os.path.commonpath((root, folder)) == root
        if is_inside and os.path.isfile(os.path.join(folder, CHART)):
            return folder
    return None


def _value(file: str) -> Any:
    """Return the value of a file with one document; None for any other file."""
    try:
        documents = read(content(file), file)
    except (InputError, ValueError):
        return None
    return documents[0].value if len(documents) == 1 else None
