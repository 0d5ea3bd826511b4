"""Volumes and claims on them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from gpuspec.manifests import dns_label, dns_subdomain
from gpuspec.validation.apiserver.reading import amount, inner
from gpuspec.validation.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation

_ONE_POD = "ReadWriteOncePod"
_SECRETS: tuple[str, ...] = ("controllerPublishSecretRef", "controllerExpandSecretRef")
_SECRETS += ("nodePublishSecretRef", "nodeExpandSecretRef")


def access(spec: Map, version: str) -> Iterator[Violation]:
    """A volume of one pod is nothing else."""
    modes = set(spec.get("accessModes") or ())
    if _ONE_POD in modes and len(modes) > 1:
        yield Violation(("accessModes",), f"`{_ONE_POD}` stands alone", "refused")


def volume(spec: Map, version: str) -> Iterator[Violation]:
    """A volume has a size, and nothing else that is counted."""
    capacity = inner(spec, "capacity")
    if spec.get("capacity") is not None and set(capacity) != {"storage"}:
        yield Violation(("capacity",), "expected `storage`, and nothing else", "refused")
    yield from _positive(capacity, ("capacity",))
    if spec.get("local") is not None and spec.get("nodeAffinity") is None:
        yield Violation(("nodeAffinity",), "it is missing, which `local` needs", "refused")
    if spec.get("volumeAttributesClassName") and spec.get("csi") is None:
        yield Violation(
            ("csi",), "it is missing, which `volumeAttributesClassName` needs", "refused"
        )
    path = inner(spec, "hostPath").get("path")
    if (
        path
        and posixpath.normpath(path) == "/"
        and spec.get("persistentVolumeReclaimPolicy") == "Recycle"
    ):
        yield Violation(
            ("persistentVolumeReclaimPolicy",),
            "it cannot be `Recycle` for the whole of `/`",
            "refused",
        )


def local(source: Map, version: str) -> Iterator[Violation]:
    """A path does not climb."""
    if ".." in (source.get("path") or "").split("/"):
        yield Violation(("path",), "it cannot have `..` in it", "refused")


def csi(source: Map, version: str) -> Iterator[Violation]:
    """Secrets are named with their namespaces."""
    for field in _SECRETS:
        if source.get(field) is not None:
            yield from _secret(source[field], (field,))


def with_secret(source: Map, version: str) -> Iterator[Violation]:
    """A secret is named with its namespace."""
    for field in ("name", "namespace"):
        if source.get("secretRef") is not None and not source["secretRef"].get(field):
            yield Violation(("secretRef", field), "it is missing", "refused")


def iscsi(source: Map, version: str) -> Iterator[Violation]:
    """Who logs in has a secret."""
    secret = source.get("secretRef")
    if secret is None and (source.get("chapAuthDiscovery") or source.get("chapAuthSession")):
        yield Violation(("secretRef",), "it is missing, which CHAP needs", "refused")
    elif secret is not None and not secret.get("name"):
        yield Violation(("secretRef", "name"), "it is missing", "refused")


def flex(source: Map, version: str) -> Iterator[Violation]:
    """Kubernetes' own names are not for options."""
    for key in inner(source, "options"):
        if f".{key.split('/')[0].lower()}".endswith((".kubernetes.io", ".k8s.io")):
            yield Violation(("options", key), "names of Kubernetes are its own", "refused")


def claim(spec: Map, version: str) -> Iterator[Violation]:
    """A claim asks for a size, and names one source."""
    requests = inner(spec, "resources", "requests")
    if "storage" not in requests:
        said = "a claim asks for storage: write `requests.storage`"
        yield Violation(("resources",), said, "refused")
    yield from _positive({"storage": requests.get("storage")}, ("resources", "requests"))
    for field in ("dataSource", "dataSourceRef"):
        source = spec.get(field)
        if source and not source.get("apiGroup") and source.get("kind") != "PersistentVolumeClaim":
            yield Violation(
                (field,),
                f"it needs `apiGroup`: `{source.get('kind')}` is no kind of the core group",
                "refused",
            )
    yield from _same_source(spec)


def _same_source(spec: Map) -> Iterator[Violation]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if not source or not reference or reference.get("namespace"):
        return
    if any(source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")):
        yield Violation(
            ("dataSource",),
            "`dataSourceRef` says something else, and both must say the same",
            "refused",
            hint="keep `dataSourceRef` alone",
        )


def _positive(amounts: Map, path: Path) -> Iterator[Violation]:
    for name, value in amounts.items():
        found = amount(value)
        if found is not None and found <= 0:
            yield Violation((*path, name), "expected a quantity above 0", "refused")


def _secret(reference: Map, path: Path) -> Iterator[Violation]:
    for field, problem_of in (("name", dns_subdomain), ("namespace", dns_label)):
        text = reference.get(field)
        if not text:
            yield Violation((*path, field), "it is missing", "refused")
        elif problem := problem_of(text):
            yield Violation((*path, field), f"it {problem}", "refused")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.CSIPersistentVolumeSource": (csi,),
    "core.v1.CinderPersistentVolumeSource": (with_secret,),
    "core.v1.FlexPersistentVolumeSource": (flex,),
    "core.v1.ISCSIPersistentVolumeSource": (iscsi,),
    "core.v1.LocalVolumeSource": (local,),
    "core.v1.PersistentVolumeClaimSpec": (access, claim),
    "core.v1.PersistentVolumeSpec": (access, volume),
    "core.v1.StorageOSPersistentVolumeSource": (with_secret,),
}
