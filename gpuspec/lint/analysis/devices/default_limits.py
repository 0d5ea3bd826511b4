"""Default limits that LimitRanges set for containers without a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import quantity

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path, Quantity
    from gpuspec.objects.objects import Object, Pod


class Default(msgspec.Struct, frozen=True):
    """A default limit."""

    limits: Object
    path: Path
    """The path from its document's root."""
    most: Quantity


def default_limit(pod: Pod, resource: str, context: Context) -> Default | None:
    """Return the default limit of a resource for a pod's containers; None without one.

    Of several LimitRanges any may come first: the largest counts.
    """
    namespace = pod.object.namespace
    if not namespace or pod.spec.get("resources"):
        return None
    defaults = [
        Default(obj, obj.path("spec", "limits", index, "default", resource), most)
        for obj in context.collection.within("", "LimitRange", namespace)
        for index, row in enumerate(map(mapping, items(obj.spec.get("limits"))))
        if obj.namespace == namespace and row.get("type") == "Container"
        if (most := quantity(mapping(row.get("default")).get(resource))) is not None
    ]
    return max(defaults, key=lambda default: default.most.value, default=None)
