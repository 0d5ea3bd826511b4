"""Volumes and claims on them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go, and
pkg/api/persistentvolumeclaim/util.go for the fields that the server drops first.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from gpuspec.manifests import dns_subdomain
from gpuspec.validation.apiserver.reading import inner, or_zero, refused
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_ONE_POD = "ReadWriteOncePod"
_KEPT = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))
_BEHIND_FLEX = (
    *("azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"),
    *("scaleIO", "local", "storageos", "csi"),
)


def access(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the access mode of a single pod is the only one."""
    modes = set(spec.get("accessModes") or ())
    if _ONE_POD in modes and len(modes) > 1:
        yield refused(("accessModes",), f"`{_ONE_POD}` excludes all other access modes")


def volume(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a volume has a size, and no other resource."""
    capacity = inner(spec, "capacity")
    if spec.get("capacity") is not None and set(capacity) != {"storage"}:
        yield refused(("capacity",), "expected only `storage`")
    yield from _positive(capacity, ("capacity",))
    if spec.get("flexVolume") is not None:
        # A server counts it for the types behind it only.
        for kind in _BEHIND_FLEX:
            if spec.get(kind) is not None:
                yield refused((kind,), f"only one of `flexVolume` and `{kind}` can be set")
    if spec.get("local") is not None and spec.get("nodeAffinity") is None:
        yield refused(("nodeAffinity",), "it is missing, but `local` needs it")
    if spec.get("volumeAttributesClassName") and spec.get("csi") is None:
        yield refused(("csi",), "it is missing, but `volumeAttributesClassName` needs it")
    path = inner(spec, "hostPath").get("path")
    if (
        path
        and posixpath.normpath(path) == "/"
        and spec.get("persistentVolumeReclaimPolicy") == "Recycle"
    ):
        yield refused(("persistentVolumeReclaimPolicy",), "it cannot be `Recycle` for `/`")


def claim(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a claim requests a size, and names at most one source."""
    requests = inner(spec, "resources", "requests")
    if "storage" not in requests:
        message = "a claim must request storage: write `requests.storage`"
        yield refused(("resources",), message)
    else:
        yield from _positive({"storage": requests["storage"]}, ("resources", "requests"))
    yield from _sources(spec)
    yield from _same_source(spec)


def ephemeral(template: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the claim that a pod makes: the server drops none of its fields first."""
    spec = inner(template, "spec")
    if spec.get("dataSourceRef") is None and not _is_kept(spec.get("dataSource")):
        for violation in _source(spec, "dataSource"):
            yield placed(("spec",), violation)


def _sources(spec: Map) -> Iterator[SchemaViolation]:
    """Check that the source of a volume has a complete reference."""
    reference = spec.get("dataSourceRef")
    if reference is not None and reference.get("namespace"):
        return  # which a server drops while the feature gate for it is off
    if reference is not None or _is_kept(spec.get("dataSource")):
        yield from _source(spec, "dataSource")
    yield from _source(spec, "dataSourceRef")


def _is_kept(source: Map | None) -> bool:
    """Return whether a server keeps a `dataSource` of this kind without a `dataSourceRef`."""
    return ((source or {}).get("apiGroup") or "", (source or {}).get("kind")) in _KEPT


def _source(spec: Map, field: str) -> Iterator[SchemaViolation]:
    source = spec.get(field)
    if source is None:
        return
    kind, group = source.get("kind"), source.get("apiGroup")
    for needed in ("kind", "name"):
        if not source.get(needed):
            yield refused((field, needed), "it is missing")
    if kind and not group and kind != "PersistentVolumeClaim":
        message = f"it needs `apiGroup`: `{kind}` is not a kind of the core group"
        yield refused((field,), message)
    elif group and (problem := dns_subdomain(group)):
        yield refused((field, "apiGroup"), f"it {problem}")


def _same_source(spec: Map) -> Iterator[SchemaViolation]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is None or reference is None or reference.get("namespace"):
        return
    if any(source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")):
        yield refused(
            ("dataSource",),
            "it must equal `dataSourceRef`, and the two differ",
            "keep only `dataSourceRef`",
        )


def _positive(amounts: Map, path: Path) -> Iterator[SchemaViolation]:
    for name, value in amounts.items():
        quantity = or_zero(value)
        if quantity is not None and quantity <= 0:
            yield refused((*path, name), "expected a quantity above 0")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.PersistentVolumeClaimSpec": (access, claim),
    "core.v1.PersistentVolumeClaimTemplate": (ephemeral,),
    "core.v1.PersistentVolumeSpec": (access, volume),
}
