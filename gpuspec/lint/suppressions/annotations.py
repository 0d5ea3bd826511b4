"""Annotations that suppress findings, for YAML in which comments do not survive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import ObjectIdentity
from gpuspec.manifests import Path, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.loading.units import Where
    from gpuspec.objects.objects import Object

IGNORE = "gpuspec.dev/ignore"
"""On an object's metadata, or a pod template's: `GPU203: reason; GPU101 until=2027-03-01: reason`."""


class Annotation(msgspec.Struct, frozen=True):
    """One such annotation and its scope."""

    object: ObjectIdentity
    covers: Path
    """Findings at this path and below; empty for all of the object."""
    path: Path
    start: Place
    end: Place
    text: str


def annotations_of(
    obj: Object, object_identity: ObjectIdentity, where: Where
) -> Iterator[Annotation]:
    """Yield the annotations of an object and its pods."""
    metadata = obj.path("metadata")
    yield from _annotated(obj.annotations, metadata, object_identity, where)
    for pod in obj.pods:
        if pod.metadata_path is not None and pod.metadata_path != metadata:
            # A pod template is what its metadata stands in.
            covers = pod.metadata_path[:-1]
            yield from _annotated(
                pod.annotations, pod.metadata_path, object_identity, where, covers
            )


def _annotated(
    annotations: Mapping[str, Any],
    metadata: Path,
    object_identity: ObjectIdentity,
    where: Where,
    covers: Path = (),
) -> Iterator[Annotation]:
    """Yield the suppressions in the annotations of some metadata."""
    text = annotations.get(IGNORE)
    if isinstance(text, str):
        path = (*metadata, "annotations", IGNORE)
        start, end = where.span(path)
        yield Annotation(object_identity, covers, path, start, end, text)
