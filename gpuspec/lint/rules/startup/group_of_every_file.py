"""A large claim whose files are all handed over to a group at each start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU860",
    "group-of-every-file",
    "info",
    "`fsGroup` is applied to every file of a large volume at each start",
    fix="unsafe",
)
_LARGE = 1 << 40
"""Bytes that are asked for. How long it takes is a matter of how many files there are."""
_ONE_NODE = {"ReadWriteOnce", "ReadWriteOncePod"}
"""Access modes of one node; other volumes are usually shared filesystems, whose ownership the
kubelet does not change."""
_OF_THE_NODE = ("local-path", "hostpath")
"""Classes of folders of a node, whose ownership the kubelet leaves alone too."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods with `fsGroup` and such claims, of the set or of a StatefulSet's templates."""
    security = pod.security
    if security.get("fsGroup") is None or security.get("fsGroupChangePolicy") == "OnRootMismatch":
        return
    for name, spec, claim in _claims(pod, context):
        storage = at(spec, ("resources", "requests", "storage"))
        requested = quantity(storage)
        if requested is None or requested.value < _LARGE or not _is_handed_over(spec):
            continue
        path = pod.path("securityContext", "fsGroupChangePolicy")
        yield RawFinding(
            pod.path("securityContext", "fsGroup"),
            f"`fsGroup` changes the group of every file of claim `{name}` ({storage}) at each "
            "start: with many files the pod stays in `ContainerCreating` for minutes while it "
            "holds its GPUs",
            note="set `fsGroupChangePolicy: OnRootMismatch`, which skips the files if the root "
            "folder already has the group",
            fix=set_field(path, "OnRootMismatch"),
            confidence="possible",
            related=()
            if claim is None
            else (RelatedPlace(claim.number, claim.path("metadata", "name"), "this claim"),),
        )
        return


def _claims(pod: Pod, context: Context) -> Iterator[tuple[str, dict[str, Any], Object | None]]:
    """Yield the claims that a pod mounts to write: their names, their specs, and their objects."""
    owner = pod.object
    for _, volume in pod.volumes.values():
        claim = mapping(volume.get("persistentVolumeClaim"))
        name = text(claim.get("claimName"))
        obj = context.collection.named("", "PersistentVolumeClaim", name, owner.namespace)
        if obj is not None and claim.get("readOnly") is not True:
            yield name, obj.spec, obj
    if owner.is_a("apps", "StatefulSet"):
        for template in map(mapping, items(owner.spec.get("volumeClaimTemplates"))):
            yield (
                text(mapping(template.get("metadata")).get("name")),
                mapping(template.get("spec")),
                None,
            )


def _is_handed_over(spec: dict[str, Any]) -> bool:
    modes = [
        access_mode
        for access_mode in items(spec.get("accessModes"))
        if isinstance(access_mode, str)
    ]
    if spec.get("volumeMode") == "Block" or not modes or not _ONE_NODE.issuperset(modes):
        return False
    name = text(spec.get("storageClassName")).lower()
    return not any(driver in name for driver in _OF_THE_NODE)
