"""A volume whose driver needs a key, of the pod or of the volume, that is not written."""

from collections.abc import Iterator

import msgspec

from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU775",
    "volume-without-key",
    "error",
    "A volume lacks an annotation or attribute that its driver requires",
    fix="unsafe",
)


class _Need(msgspec.Struct, frozen=True):
    """A key that a driver needs; without a value, any value will do."""

    driver: str
    key: str
    value: str = ""
    sidecar: str = ""
    """For an annotation of the pod: the container that it has the cluster add."""
    unless: tuple[str, ...] = ()
    """Attributes of the volume, or annotations of the pod, with which it is not needed."""
    certain: bool = True


_NEEDS = (
    _Need(
        "gcsfuse.csi.storage.gke.io",
        "gke-gcsfuse/volumes",
        "true",
        sidecar="gke-gcsfuse-sidecar",
        unless=("gke-gcsfuse/shared-mount", "sharedMount"),
    ),
    _Need(
        "parallelstore.csi.storage.gke.io",
        "gke-parallelstore/volumes",
        "true",
        sidecar="gke-parallelstore-sidecar",
        certain=False,
    ),
    _Need("gcsfuse.csi.storage.gke.io", "bucketName"),
    _Need("secrets-store.csi.k8s.io", "secretProviderClass", unless=("providerName",)),
    _Need("csi.cert-manager.io", "csi.cert-manager.io/issuer-name"),
)


class _CsiVolume(msgspec.Struct, frozen=True):
    """A volume of a CSI driver, inline in the pod or behind one of its claims."""

    name: str
    csi: dict[str, object]
    path: Path
    inline: bool


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check volumes of known drivers, unless a kustomization may add the missing keys."""
    volumes = list(_volumes(pod, context.collection))
    if not volumes or is_changed(pod.object, context.collection):
        return
    reported_keys: set[str] = set()
    for volume in volumes:
        driver, attributes = volume.csi.get("driver"), mapping(volume.csi.get("volumeAttributes"))
        for need in _NEEDS:
            if need.driver != driver or any(
                name in attributes or name in pod.annotations for name in need.unless
            ):
                continue
            if not need.sidecar:
                if volume.inline and not attributes.get(need.key):
                    yield _attribute(volume, need)
            elif need.key not in reported_keys and _lacks(pod, need):
                reported_keys.add(need.key)
                yield _annotation(pod, volume, need)


def _volumes(pod: Pod, collection: Collection) -> Iterator[_CsiVolume]:
    for name, (index, volume) in pod.volumes.items():
        at = pod.path("volumes", index)
        if csi := mapping(volume.get("csi")):
            yield _CsiVolume(name, csi, (*at, "csi"), inline=True)
        claim = text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
        if claim and (csi := _behind(claim, pod.object.namespace, collection)):
            yield _CsiVolume(name, csi, at, inline=False)


def _behind(claim: str, namespace: str, collection: Collection) -> dict[str, object]:
    """Return the `csi` of the volume that a claim of the run names."""
    obj = collection.named("", "PersistentVolumeClaim", claim, namespace)
    name = "" if obj is None else text(obj.spec.get("volumeName"))
    volume = collection.named("", "PersistentVolume", name) if name else None
    return {} if volume is None else mapping(volume.spec.get("csi"))


def _lacks(pod: Pod, need: _Need) -> bool:
    """Return whether neither the pod nor its owner has the annotation, and the pod lacks the
    container."""
    annotation_maps = (pod.annotations, mapping(pod.object.metadata.get("annotations")))
    if pod.metadata_path is None or any(container.name == need.sidecar for container in pod.every):
        return False
    return not any(
        str(annotations[need.key]).lower() == need.value or "$" in str(annotations[need.key])
        for annotations in annotation_maps
        if need.key in annotations
    )


def _annotation(pod: Pod, volume: _CsiVolume, need: _Need) -> RawFinding:
    assert pod.metadata_path is not None
    annotation_put = Put((*pod.metadata_path, "annotations", need.key), need.value)
    return RawFinding(
        volume.path,
        f'a volume of `{need.driver}` needs the pod annotation `{need.key}: "{need.value}"`: '
        f"without it container `{need.sidecar}` is not added, `{volume.name}` is not "
        "mounted, and the pod stays in ContainerCreating",
        severity=None if need.certain else "warning",
        confidence="certain" if need.certain else "likely",
        fix=Fix(f"annotate the pod with `{need.key}`", (annotation_put,)),
    )


def _attribute(volume: _CsiVolume, need: _Need) -> RawFinding:
    return RawFinding(
        volume.path,
        f"a volume of `{need.driver}` needs `{need.key}` in its `volumeAttributes`: without it "
        f"`{volume.name}` is not mounted, and the pod stays in ContainerCreating",
        note=f"set `{need.key}` in `volumeAttributes`",
    )
