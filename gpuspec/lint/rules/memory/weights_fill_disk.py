"""Weights that are downloaded to the node's disk, of which the scheduler knows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import hub_folder, hub_model
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.weights import weights_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU771",
    "weights-fill-disk",
    "warning",
    "Weights are downloaded to the node's disk without an `ephemeral-storage` request",
)

_DISK = "ephemeral-storage"
# The image and its layers alone take as much: what is smaller fills no disk.
_LEAST = 10 * 10**9
_ROOM = 1.25
"""Parts of the weights' size that a request for them has."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers whose downloads land in an emptyDir without a limit.

    Of those that land in the container itself, for want of any volume, GPU905 speaks.
    """
    if not is_whole(pod) or _is_given(pod, context):
        return
    for container in pod.gpu_containers:
        server = server_of(container) if container.stage == "main" else None
        if server is None or hub_model(container, server) is None:
            continue
        folder, weights = hub_folder(container, server), weights_of(container, server, context)
        if folder is None or weights is None or weights.size < _LEAST:
            continue
        path = _unbounded(pod, container, folder)
        if path is None:
            continue
        size = f"{ceil(weights.size * _ROOM / 2**30)}Gi"
        yield RawFinding(
            path,
            f"{weights.size / 1000000000.0:.3g} GB of weights are downloaded to this `emptyDir` "
            f"on the node's disk, but no `{_DISK}` is requested: the scheduler ignores their "
            "size, and the kubelet evicts this pod and others when the disk is full",
            note=(
                f"request `{_DISK}: {size}` and set `sizeLimit: {size}` on the volume, or keep the "
                "weights on a claim"
            ),
            confidence="certain" if weights.known else "likely",
        )


def _is_given(pod: Pod, context: Context) -> bool:
    """Return whether ephemeral storage is requested, or a LimitRange may add a request."""
    if any(_DISK in container.requests or _DISK in container.limits for container in pod.every):
        return True
    amounts = mapping(pod.spec.get("resources"))
    if any(_DISK in mapping(amounts.get(field)) for field in ("requests", "limits")):
        return True
    limits = context.collection.within("", "LimitRange", pod.object.namespace)
    return any(_DISK in str(limit.spec) for limit in limits)


def _unbounded(pod: Pod, container: PodContainer, folder: str) -> Path | None:
    """Return the emptyDir without a size limit, on the node's disk, that contains a folder."""
    mount = mount_of(container, folder)
    volume = None if mount is None else mounted(pod, container, mount)
    if volume is None or "emptyDir" not in volume:
        return None
    empty = mapping(volume.get("emptyDir"))
    if empty.get("medium") or empty.get("sizeLimit") is not None:
        return None
    return pod.path("volumes", pod.volumes[str(volume.get("name"))][0], "emptyDir")
