"""A volume that is smaller than the weights which a server downloads to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import hub_folder, hub_model
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.weights import weights_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.manifests import Path

RULE = Rule(
    "GPU918",
    "volume-too-small",
    "error",
    "A volume is smaller than the weights downloaded to it",
)


class _Bound(NamedTuple):
    path: Path
    size: int
    what: str
    end: str
    object: int | None = None


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers with a model of a hub whose size is known, or told by its name."""
    for container in pod.gpu_containers:
        server = server_of(container) if container.stage == "main" else None
        if server is None or hub_model(container, server) is None:
            continue
        folder, weights = hub_folder(container, server), weights_of(container, server, context)
        if folder is None or weights is None:
            continue
        bound = _bound(pod, container, folder, context)
        if bound is None or bound.size >= weights.size:
            continue
        yield RawFinding(
            bound.path,
            f"`{weights.name}` has {weights.size / 1000000000.0:.3g} GB of weights, but "
            f"{bound.what} {bound.size / 1000000000.0:.3g} GB: {bound.end}",
            note=f"request more than {weights.size / 1000000000.0:.3g} GB ({weights.words})",
            severity="error" if weights.known else "warning",
            confidence="certain" if weights.known else "likely",
            object=bound.object,
        )


def _bound(pod: Pod, container: PodContainer, folder: str, context: Context) -> _Bound | None:
    """Return what bounds the size of a folder: its volume, or the container's own disk."""
    mount = mount_of(container, folder)
    volume = None if mount is None else mounted(pod, container, mount)
    if mount is not None and volume is None:
        return None
    if volume is None:
        return _disk(container)
    empty, claim = mapping(volume.get("emptyDir")), mapping(volume.get("persistentVolumeClaim"))
    if (limit := quantity(empty.get("sizeLimit"))) is not None:
        path = pod.path("volumes", pod.volumes[str(volume.get("name"))][0], "emptyDir", "sizeLimit")
        subject = f"the volume at `{mount}` has"
        return _Bound(
            path, _whole(limit.value), subject, "the pod is evicted while it downloads them"
        )
    name = text(claim.get("claimName"))
    obj = context.collection.named("", "PersistentVolumeClaim", name, pod.object.namespace)
    inside = ("spec", "resources", "requests", "storage")
    requested = None if obj is None or not name else quantity(at(obj.value, inside))
    if obj is None or requested is None:
        return _disk(container) if "emptyDir" in volume and not empty.get("medium") else None
    end = "the disk fills up before the download is complete"
    subject = f"claim `{name}` requests"
    return _Bound(obj.path(*inside), _whole(requested.value), subject, end, obj.number)


def _disk(container: PodContainer) -> _Bound | None:
    limit = quantity(container.limits.get("ephemeral-storage"))
    if limit is None:
        return None
    return _Bound(
        container.path(container.resources_at, "limits", "ephemeral-storage"),
        _whole(limit.value),
        "the container's `ephemeral-storage` limit is",
        "the pod is evicted while it downloads them",
    )


def _whole(value: Fraction) -> int:
    return math.floor(value)
