"""Releases whose chart another object names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import same_namespace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.charts.release import Release
    from gpuspec.objects.objects import Object

SOURCES = "source.toolkit.fluxcd.io"
KINDS = ("OCIRepository", "HelmChart")


def located(release: Release, sources: Iterable[Object]) -> Release:
    """Return a release with the chart that its referenced object names, if that object is
    available.
    """
    kind, namespace, name = release.source
    objects = (obj for obj in sources if kind and (obj.kind, obj.name) == (kind, name))
    source = next((obj for obj in objects if same_namespace(obj.namespace, namespace)), None)
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
