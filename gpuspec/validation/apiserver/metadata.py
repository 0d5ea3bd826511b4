"""The metadata of objects and of templates.

Source: k8s.io/apimachinery, pkg/api/validation/objectmeta.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import maps, refused, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LARGEST = 256 * 1024
_FIELDS = {"deprecated.daemonset.template.generation", "deprecated.deployment.rollback.to"}
"""Annotations that a server reads as fields, and does not count."""


def template(meta: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that all annotations together are not too large."""
    annotations = meta.get("annotations")
    if not annotations:
        return
    annotations = {key: text for key, text in annotations.items() if key not in _FIELDS}
    if size([*annotations, *annotations.values()]) > _LARGEST:
        yield refused(
            ("annotations",),
            f"together the annotations are larger than {_LARGEST // 1024} KiB",
            "move large values into a ConfigMap",
        )


def whole(meta: Map, version: str) -> Iterator[SchemaViolation]:
    """Check an object's annotations, owners and finalizers."""
    yield from template(meta, version)
    if meta.get("ownerReferences"):
        yield from _owners(meta)
    if {"orphan", "foregroundDeletion"} <= {*(meta.get("finalizers") or ())}:
        yield refused(("finalizers",), "`orphan` and `foregroundDeletion` exclude each other")


def _owners(meta: Map) -> Iterator[SchemaViolation]:
    """Check that at most one owner is the controller, and that no owner is an event."""
    controlling: list[Map] = []
    for _, owner_reference in maps(meta, "ownerReferences"):
        # What stands there twice, a server takes once.
        if owner_reference.get("controller") is True and owner_reference not in controlling:
            controlling.append(owner_reference)
    if len(controlling) > 1:
        yield refused(("ownerReferences",), "only one owner can have `controller: true`")
    for index, owner_reference in maps(meta, "ownerReferences"):
        if (owner_reference.get("apiVersion"), owner_reference.get("kind")) == ("v1", "Event"):
            yield refused(("ownerReferences", index), "an Event cannot own an object")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "metadata.object": (whole,),
    "metadata.template": (template,),
}
