"""What `cluster render` made once, and the profile no longer asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.drift.model import Difference, DriftRemark
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gpuspec.drift.dump import Dump, Kind

_MANAGED, _NAME = "app.kubernetes.io/managed-by", "app.kubernetes.io/name"


def leftovers(dump: Dump, made: Collection[tuple[Kind, str, str]]) -> Iterator[Difference]:
    """Yield the platform's objects that bear our label, and are not among those that are made.

    Objects of workloads bear it too, beside their workload's name; what a controller makes of either
    has an owner.
    """
    for kind, objects in dump.objects.items():
        for (space, name), value in objects.items():
            labels = mapping(at(value, ("metadata", "labels")))
            is_platform = text(labels.get(_MANAGED)) == "gpuspec" and _NAME not in labels
            owned = at(value, ("metadata", "ownerReferences"))
            if is_platform and not owned and (kind, space, name) not in made:
                called = f"{space}/{name}" if space else name
                remark = DriftRemark(
                    "object", "gpuspec made it, but the profile no longer requires it"
                )
                yield Difference("unasked", "platform", f"{kind[1]} {called}", (remark,))
