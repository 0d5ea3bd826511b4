"""A name of a cluster-wide object that another provider's clusters have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.references import references_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU824",
    "name-of-another-provider",
    "warning",
    "A class belongs to another provider, or is unset although the cluster has no default",
    gives_way=("GPU022",),
)
_STORAGE = "storage.k8s.io"
_THEN = {
    (_STORAGE, "StorageClass"): "the claim stays Pending, and its pod with it",
    ("networking.k8s.io", "IngressClass"): "no controller serves it, and no request comes in",
    ("node.k8s.io", "RuntimeClass"): "the API server rejects the pods",
    ("scheduling.k8s.io", "PriorityClass"): "the API server rejects the pods",
}
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield names of classes, and claims without one, if the profile names the provider."""
    provider, cluster = context.provider, context.cluster
    if provider is None or cluster is None or provider == "none":
        return
    title = hardware.provider(provider).title
    for ref in references_of(obj, _THEN):
        bringer = hardware.brought_by(ref.kind, ref.name)
        if bringer is None or provider in bringer.providers or ref.name in cluster.storage.classes:
            continue
        if context.collection.named(ref.group, ref.kind, ref.name) is not None:
            continue
        provider_names = [
            name
            for bringer in hardware.bringers(ref.kind)
            if provider in bringer.providers
            for name in bringer.names
        ]
        yield RawFinding(
            ref.path,
            f"{ref.kind} `{ref.name}` exists on {bringer.title}, but the cluster is {title}: "
            f"unless you create one of that name, {_THEN[ref.group, ref.kind]}",
            note=f"write {choice_of(provider_names)}" if provider_names else None,
            confidence="likely",
        )
    if not hardware.has_default_storage(provider) and not _has_default(context):
        for path, spec in _claims(obj):
            if "storageClassName" in spec or spec.get("volumeName") or spec.get("selector"):
                continue
            if obj.name in cluster.storage.claims:
                continue
            yield RawFinding(
                (*path, "storageClassName"),
                f"the claim names no StorageClass, and clusters of {title} have no default one: "
                "the claim stays Pending, and its pod with it",
                note="name a class, or mark one of the cluster's classes as the default",
                confidence="likely",
            )


def _claims(obj: Object) -> Iterator[tuple[Path, dict[str, object]]]:
    """Yield the claims that an object is or makes: where their specs are."""
    if obj.is_a("", "PersistentVolumeClaim"):
        yield obj.path("spec"), obj.spec
    elif obj.is_a("apps", "StatefulSet"):
        for index, claim in enumerate(items(obj.spec.get("volumeClaimTemplates"))):
            yield (
                obj.path("spec", "volumeClaimTemplates", index, "spec"),
                mapping(mapping(claim).get("spec")),
            )


def _has_default(context: Context) -> bool:
    """Return whether the set makes a class the default one."""
    classes = context.collection.of(_STORAGE, "StorageClass")
    return any(class_.annotations.get(_DEFAULT) == "true" for class_ in classes)
