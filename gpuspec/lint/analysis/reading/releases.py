"""Releases of charts, with the chart looked up, and the releases of its dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.located import KINDS, SOURCES, located
from gpuspec.charts.objects import with_subcharts
from gpuspec.charts.release import ARGO, FLUX, HELM, K3S, KUSTOMIZE, releases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


def releases_of(obj: Object, context: Context) -> Iterator[Release]:
    """Yield the releases that an object requests."""
    for release in _located(obj, context.collection):
        yield from with_subcharts(release)


def all_releases(collection: Collection) -> tuple[tuple[Object, Release], ...]:
    """Return the releases of a set, each with its object, without dependencies."""
    return collection.once(_all)


def is_there(product: str, collection: Collection) -> bool:
    """Return whether a set has a release of a chart, or an object of a kind, which is
    `group/Kind`."""
    group, slash, kind = product.rpartition("/")
    if slash:
        return (group, kind) in collection.kinds
    return any(release.chart == product for _, release in all_releases(collection))


def is_installed(product: str, context: Context) -> bool:
    """Return whether the profile lists a product, or the set has a release of its chart, under a
    name that contains the product's."""
    listed = () if context.cluster is None else context.cluster.installed
    charts = (release.chart for _, release in all_releases(context.collection))
    return any(product in name for name in (*listed, *charts))


def installed_version(product: str, context: Context) -> str | None:
    """Return the version of a product in the profile, else that of its release in the set; None if
    neither states one."""
    listed = None if context.cluster is None else context.cluster.installed.get(product)
    if listed is not None:
        return listed
    versions = {
        release.version
        for _, release in all_releases(context.collection)
        if release.chart == product
    }
    return (versions.pop() or None) if len(versions) == 1 else None


def _all(collection: Collection) -> tuple[tuple[Object, Release], ...]:
    of = collection.of
    asking = (
        *of(FLUX, "HelmRelease"),
        *of(ARGO, "Application"),
        *of(KUSTOMIZE, "Kustomization"),
        *of(HELM, "Values"),
        *of(K3S, "HelmChart"),
    )
    return tuple((obj, release) for obj in asking for release in _located(obj, collection))


def _located(obj: Object, collection: Collection) -> Iterator[Release]:
    sources = [source for kind in KINDS for source in collection.of(SOURCES, kind)]
    for release in releases(obj):
        yield located(release, sources)
