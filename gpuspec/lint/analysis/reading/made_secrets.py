"""Secrets that other objects of the set make, with the keys that they get.

Sources: external-secrets (2.9), externalsecret_controller_template.go (`ApplyTemplate`); Sealed Secrets
(0.36), sealedsecret_expansion.go (`Unseal`); Secrets Store CSI driver (1.6), secretproviderclass_types.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds import mappings_at
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.namespaced import NamespacedIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

EXTERNAL = ("external-secrets.io", "ExternalSecret")
SEALED = ("bitnami.com", "SealedSecret")
MOUNTED = ("secrets-store.csi.x-k8s.io", "SecretProviderClass")
_ADDS = ("Merge", "CreateOrMerge", "None")
"""Policies by which a Secret has or may have keys of others."""
_PATCHES = "sealedsecrets.bitnami.com/patch"


def makers(collection: Collection) -> NamespacedIndex[Object]:
    """Return the objects that make Secrets, by the Secret's name and namespace."""
    return NamespacedIndex(
        (name, obj.namespace, obj)
        for kind, names in _NAMES.items()
        for obj in collection.of(*kind)
        for name in names(obj)
    )


def external_keys(obj: Object) -> set[str]:
    """Return the keys that an ExternalSecret writes; empty if they are not known."""
    target = mapping(obj.spec.get("target"))
    template = mapping(target.get("template"))
    if obj.spec.get("dataFrom") or template.get("templateFrom") or target.get("manifest"):
        return set()
    if target.get("creationPolicy") in _ADDS:
        return set()
    templated = set(mapping(template.get("data")))
    if templated and template.get("mergePolicy") != "Merge":
        return templated
    return templated | _fields(obj.value, "spec.data.*", "secretKey")


def sealed_keys(obj: Object) -> set[str]:
    """Return the keys that a SealedSecret holds; empty if they are not known."""
    template = mapping(obj.spec.get("template"))
    if obj.spec.get("data") or at(template, ("metadata", "annotations", _PATCHES)) == "true":
        return set()
    return {*mapping(obj.spec.get("encryptedData")), *mapping(template.get("data"))}


def mounted_keys(obj: Object) -> set[str]:
    """Return the keys of all Secrets that a SecretProviderClass makes."""
    return _fields(obj.value, "spec.secretObjects.*.data.*", "key")


def _fields(value: dict[str, Any], pattern: str, field: str) -> set[str]:
    return {text(holder.get(field)) for _, holder in mappings_at(value, (pattern,))}


def _external_name(obj: Object) -> Iterator[str]:
    yield text(mapping(obj.spec.get("target")).get("name")) or obj.name


def _own_name(obj: Object) -> Iterator[str]:
    yield obj.name


def _mounted_names(obj: Object) -> Iterator[str]:
    for secret in items(obj.spec.get("secretObjects")):
        yield text(mapping(secret).get("secretName"))


_NAMES: dict[tuple[str, str], Callable[[Object], Iterator[str]]] = {
    EXTERNAL: _external_name,
    SEALED: _own_name,
    MOUNTED: _mounted_names,
}
