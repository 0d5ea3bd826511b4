"""Volumes of a pod: writable places on a read-only root, /dev/shm, and mounts.

A restricted pod with a read-only root starts only if every place that its processes write is
writable: /tmp, a home, and the caches of the libraries, moved into the home by environment
variables.
"""

from collections.abc import Iterator, Mapping

import msgspec

from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.plan import adapters, claims, local_disk, recipe, scratch, sources
from gpuspec.plan.decision import Decision, derived
from gpuspec.plan.facets import Nodes
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.volumes import Volumes
from gpuspec.plan.wording import up
from gpuspec.spec import (
    Artifact,
    BatchInferenceSpec,
    FineTuneSpec,
    InferenceSpec,
    TrainingFields,
    Volume,
    volume_name,
)
from gpuspec.spec.layout import DATA, HOME, MODEL_CACHE, MODELS, SHM, TMP

# Images as volumes are generally available from here on; before, they hang on a feature gate.
IMAGE_VOLUMES_SINCE = (1, 36)


class StoragePlan(msgspec.Struct, frozen=True):
    """Volumes of the pod and mounts of the main container."""

    volumes: tuple[Decision, ...]
    mounts: Nodes
    weights_path: str | None
    """The path of the weights in the container; None if the server downloads them."""
    names: Mapping[str, str]
    """The volumes' names in the pod, by their names in the spec."""


def storage(resolution: Resolution, shm: Decision | None, *, weights: bool = True) -> StoragePlan:
    """Return all volumes. `shm`: size of the memory-backed /dev/shm.

    `weights`: whether they include the model's weights; otherwise the platform's runtime mounts
    them.
    """
    volumes = Volumes()
    _scratch(volumes, "tmp", TMP, scratch.tmp_size(resolution), "the root file system is read-only")
    home = "home and caches of a user without a home in the image"
    _scratch(volumes, "home", HOME, scratch.home_size(resolution), home)
    path = _weights(resolution, volumes) if weights else None
    if isinstance(resolution.spec, InferenceSpec):
        adapters.mount(resolution.spec, volumes)
    _artifacts(resolution, volumes)
    _caches(resolution, volumes)
    for index, volume in enumerate(resolution.spec.volumes):
        _declared(resolution, volume, ("spec", "volumes", index), volumes)
    recipe.add_volumes(resolution, volumes)
    if shm is not None:
        source = {"emptyDir": {"medium": "Memory", "sizeLimit": shm.value}}
        volumes.ours("shm", source, SHM, shm)
    reading = claims.only_read(resolution)
    volumes.written(name for name, _ in claims.writers(resolution) if name not in reading)
    return StoragePlan(
        volumes=volumes.decisions(),
        mounts=tuple(volumes.mounts),
        weights_path=path,
        names=volumes.names,
    )


def _scratch(volumes: Volumes, name: str, at: str, size: int, why: str) -> None:
    decision = derived("scratch", None, f"{why}; {up(size)} at most")
    volumes.ours(name, {"emptyDir": {"sizeLimit": up(size)}}, at, decision)


def _weights(resolution: Resolution, volumes: Volumes) -> str | None:
    if resolution.model is None:
        return None
    path, ref = resolution.model
    source = (*path, "source")
    if ref.source.hub is not None:
        if ref.source.hub.cache:
            volumes.add(
                "model-cache",
                sources.claim(ref.source.hub.cache),
                MODEL_CACHE,
                (*source, "hub", "cache"),
                "keeps downloads, so that pods do not download the weights again",
            )
        return None
    field, volume_source = sources.weights(ref)
    at = ref.source.mount or MODELS
    why = "the weights, never written"
    volumes.add("model", volume_source, at, (*source, field), why, read_only=True)
    return f"{at.rstrip('/')}/{ref.source.path}" if ref.source.path else at


def _caches(resolution: Resolution, volumes: Volumes) -> None:
    caches = resolution.spec.caches
    if caches is None:
        return
    volumes.add(
        "caches",
        sources.claim(caches.pvc)
        if caches.pvc
        else sources.host_path(caches.host_path or local_disk.folder(resolution)),
        caches.mount,
        ("spec", "caches"),
        "keeps what libraries download and compile for the next pod",
        sub_path=caches.path,
    )


def _artifacts(resolution: Resolution, volumes: Volumes) -> None:
    spec = resolution.spec
    if isinstance(spec, TrainingFields):
        _artifact(spec.dataset, "dataset", "the training data, never written", volumes)
        if spec.checkpoint:
            volumes.add(
                "checkpoints",
                sources.claim(spec.checkpoint.pvc),
                spec.checkpoint.mount,
                ("spec", "checkpoint"),
                "a restarted pod continues from the last checkpoint",
                sub_path=spec.checkpoint.path,
            )
    if isinstance(spec, BatchInferenceSpec):
        _artifact(spec.input, "input", "the input, never written", volumes)
    if isinstance(spec, BatchInferenceSpec | FineTuneSpec) and spec.output:
        volumes.add(
            "output",
            sources.claim(spec.output.pvc),
            spec.output.mount,
            ("spec", "output"),
            "the results persist after the pod",
            sub_path=spec.output.path,
        )


def _artifact(artifact: Artifact | None, field: str, why: str, volumes: Volumes) -> None:
    if artifact is None or artifact.hub is not None:
        return
    volume_source = (
        sources.claim(artifact.pvc) if artifact.pvc else sources.image(str(artifact.image))
    )
    at = artifact.mount or DATA
    path = ("spec", field)
    volumes.add(field, volume_source, at, path, why, read_only=True, sub_path=artifact.path)


def _declared(resolution: Resolution, volume: Volume, path: Path, volumes: Volumes) -> None:
    why = "set in the spec"
    if volume.host_path:
        why += ": a folder of the node, see the waiver"
    elif volume.local_disk:
        why += ": on the node's local disk, where the pool mounts it"
    elif volume.storage_class:
        why += ": created for the pod, and deleted with it"
    elif volume.mode:
        why += f": mode {volume.mode}, and readable to the pod's group"
    volumes.add(
        volume_name(volume),
        sources.declared(resolution, volume),
        volume.mount,
        path,
        why,
        read_only=volume.read_only,
        sub_path=volume.sub_path,
    )


def _images(resolution: Resolution) -> Iterator[tuple[Path, str]]:
    """Yield every image or artifact that is mounted as a volume, with its path in the spec."""
    for index, volume in enumerate(resolution.spec.volumes):
        if volume.image:
            yield ("spec", "volumes", index, "image"), volume.image
    if resolution.model and resolution.model[1].source.image:
        yield (*resolution.model[0], "source", "image"), resolution.model[1].source.image
    if isinstance(resolution.spec, InferenceSpec):
        yield from adapters.images(resolution.spec)
    for field in ("dataset", "input"):
        artifact = getattr(resolution.spec, field, None)
        if artifact is not None and artifact.image:
            yield ("spec", field, "image"), artifact.image


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for image volumes if the profile's Kubernetes is too old."""
    have = resolution.profile.spec.kubernetes
    if read_version(have) >= IMAGE_VOLUMES_SINCE:
        return []
    return [
        RefusalReason(
            f"{image} as a volume needs Kubernetes 1.36; {resolution.profile.name} has {have}",
            resolution.workload.place(path),
            "copy it into a PersistentVolumeClaim",
        )
        for path, image in _images(resolution)
    ]
