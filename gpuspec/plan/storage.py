"""Volumes of a pod: writable places on a read-only root, /dev/shm, and what is mounted.

A restricted pod with a read-only root starts only if every place that its processes write is
there: /tmp, a home, and the caches of the libraries, moved into the home by environment variable.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.facets import Nodes
from gpuspec.plan.leaf import Leaf, derived, from_spec
from gpuspec.spec import (
    Artifact,
    BatchInferenceSpec,
    FineTuneSpec,
    TrainingFields,
    Volume,
    volume_name,
)

HOME = "/home/app"
MODELS = "/models"
DATA = "/data"
MIB, GIB = 1 << 20, 1 << 30
TMP_MIB = 4096
HOME_MIB = 1024
LOG_MIB = 1024


@dataclass(frozen=True, slots=True)
class StoragePlan:
    """Volumes of the pod, mounts of the main container, and the disk they may fill (bytes)."""

    volumes: Nodes
    mounts: Nodes
    disk_need: int
    weights_path: str | None
    """Where the weights lie in the container; None when the server downloads them."""


def storage(case: Case) -> StoragePlan:
    """Everything but /dev/shm, whose size depends on the memory limit."""
    volumes: list[Leaf] = []
    mounts: list[Leaf] = []
    home_mib = HOME_MIB + sum(
        cache.mib for cache in (*runtimes.common().caches, *case.runtime.caches)
    )
    home_mib += _download_mib(case)
    _scratch(volumes, mounts, "tmp", "/tmp", TMP_MIB, "the root file system is read-only")
    _scratch(volumes, mounts, "home", HOME, home_mib, "home and caches of a user without one")
    weights = _weights(case, volumes, mounts)
    _artifacts(case, volumes, mounts)
    extra_mib = 0
    for index, volume in enumerate(case.spec.volumes):
        _declared(volume, ("spec", "volumes", index), volumes, mounts)
        extra_mib += int(volume.size.value) // MIB if volume.size else 0
    need = (TMP_MIB + home_mib + LOG_MIB + extra_mib) * MIB
    return StoragePlan(tuple(volumes), tuple(mounts), need, weights)


def shm_volume(size: Leaf) -> tuple[Leaf, Leaf]:
    """The memory-backed /dev/shm: its volume and its mount."""
    source = {"medium": "Memory", "sizeLimit": size.value}
    return (
        Leaf({"name": "shm", "emptyDir": source}, size.reason, size.origin),
        Leaf({"name": "shm", "mountPath": "/dev/shm"}, size.reason, size.origin),
    )


def images(case: Case) -> Iterable[tuple[Path, str]]:
    """Every image or artifact that is mounted as a volume, with its path in the spec."""
    spec = case.spec
    for index, volume in enumerate(spec.volumes):
        if volume.image:
            yield ("spec", "volumes", index, "image"), volume.image
    if case.model and case.model[1].source.image:
        yield (*case.model[0], "source", "image"), case.model[1].source.image
    for field in ("dataset", "input"):
        artifact = getattr(spec, field, None)
        if artifact is not None and artifact.image:
            yield ("spec", field, "image"), artifact.image


def _scratch(
    volumes: list[Leaf], mounts: list[Leaf], name: str, path: str, mib: int, why: str
) -> None:
    size = f"{-(-mib // 1024)}Gi"
    volumes.append(derived("scratch", {"name": name, "emptyDir": {"sizeLimit": size}}, why))
    mounts.append(derived("scratch", {"name": name, "mountPath": path}, why))


def _download_mib(case: Case) -> int:
    """What a download leaves in the home when no claim keeps it: the weights and a tenth."""
    if case.model is None:
        return 0
    ref = case.model[1]
    if ref.source.hub is None or ref.source.hub.cache or ref.size is None:
        return 0
    return int(ref.size.value * 11 / 10) // MIB


def _weights(case: Case, volumes: list[Leaf], mounts: list[Leaf]) -> str | None:
    if case.model is None:
        return None
    path, ref = case.model
    source = (*path, "source")
    if ref.source.hub is not None:
        if ref.source.hub.cache:
            claim = ref.source.hub.cache
            origin: Path = (*source, "hub", "cache")
            folder = _cache_folder(case)
            _mount(
                volumes,
                mounts,
                "model-cache",
                _claim(claim),
                folder,
                origin,
                "keeps downloads, so that not each replica fetches them",
            )
        return None
    if ref.source.pvc:
        what, key = _claim(ref.source.pvc, read_only=True), "pvc"
    else:
        what, key = _image(str(ref.source.image)), "image"
    _mount(
        volumes,
        mounts,
        "model",
        what,
        MODELS,
        (*source, key),
        "the model's weights",
        read_only=True,
    )
    return f"{MODELS}/{ref.source.path}" if ref.source.path else MODELS


def _cache_folder(case: Case) -> str:
    caches = (*case.runtime.caches, *runtimes.common().caches)
    folder = next((cache.folder for cache in caches if cache.weights), ".cache/huggingface")
    return f"{HOME}/{folder}"


def _artifacts(case: Case, volumes: list[Leaf], mounts: list[Leaf]) -> None:
    spec = case.spec
    if isinstance(spec, TrainingFields):
        _artifact(spec.dataset, "dataset", "training data", volumes, mounts)
        if spec.checkpoint:
            _mount(
                volumes,
                mounts,
                "checkpoints",
                _claim(spec.checkpoint.pvc),
                spec.checkpoint.mount,
                ("spec", "checkpoint"),
                "a restarted pod goes on from the last checkpoint",
                sub_path=spec.checkpoint.path,
            )
    if isinstance(spec, BatchInferenceSpec):
        _artifact(spec.input, "input", "what is scored", volumes, mounts)
    if isinstance(spec, BatchInferenceSpec | FineTuneSpec) and spec.output:
        _mount(
            volumes,
            mounts,
            "output",
            _claim(spec.output.pvc),
            spec.output.mount,
            ("spec", "output"),
            "results",
            sub_path=spec.output.path,
        )


def _artifact(
    artifact: Artifact | None, field: str, why: str, volumes: list[Leaf], mounts: list[Leaf]
) -> None:
    if artifact is None:
        return
    what = _claim(artifact.pvc, read_only=True) if artifact.pvc else _image(str(artifact.image))
    _mount(
        volumes,
        mounts,
        field,
        what,
        artifact.mount or DATA,
        ("spec", field),
        why,
        read_only=True,
        sub_path=artifact.path,
    )


def _declared(volume: Volume, path: Path, volumes: list[Leaf], mounts: list[Leaf]) -> None:
    what: dict[str, Any]
    if volume.pvc:
        what = _claim(volume.pvc, read_only=volume.read_only)
    elif volume.config_map:
        what = {"configMap": {"name": volume.config_map}}
    elif volume.secret:
        what = {"secret": {"secretName": volume.secret}}
    elif volume.image:
        what = _image(volume.image)
    else:
        what = {"emptyDir": {"sizeLimit": str(volume.size)}}
    _mount(
        volumes,
        mounts,
        volume_name(volume),
        what,
        volume.mount,
        path,
        "asked for",
        read_only=volume.read_only,
        sub_path=volume.sub_path,
    )


def _claim(name: str, *, read_only: bool = False) -> dict[str, Any]:
    claim: dict[str, Any] = {"claimName": name}
    return {"persistentVolumeClaim": {**claim, "readOnly": True} if read_only else claim}


def _image(reference: str) -> dict[str, Any]:
    return {"image": {"reference": reference, "pullPolicy": "IfNotPresent"}}


def _mount(
    volumes: list[Leaf],
    mounts: list[Leaf],
    name: str,
    what: dict[str, Any],
    at: str,
    path: Path,
    why: str,
    *,
    read_only: bool = False,
    sub_path: str | None = None,
) -> None:
    mount: dict[str, Any] = {"name": name, "mountPath": at}
    if sub_path:
        mount["subPath"] = sub_path
    if read_only:
        mount["readOnly"] = True
    volumes.append(from_spec(path, {"name": name, **what}, why))
    mounts.append(from_spec(path, mount, why))
