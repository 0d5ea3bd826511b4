"""Platform objects that an earlier `cluster render` created, and that the profile no longer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.drift.model import Difference, DriftRemark
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gpuspec.drift.dump import Dump, Kind

_MANAGED, _NAME = "app.kubernetes.io/managed-by", "app.kubernetes.io/name"


def leftovers(dump: Dump, expected: Collection[tuple[Kind, str, str]]) -> Iterator[Difference]:
    """Yield platform objects with gpuspec's label that are not among the expected ones.

    Objects of workloads have the label too, with that of their workload's name; objects that a
    controller creates have an owner.
    """
    for kind, objects in dump.objects.items():
        for (space, name), value in objects.items():
            labels = mapping(at(value, ("metadata", "labels")))
            is_platform = text(labels.get(_MANAGED)) == "gpuspec" and _NAME not in labels
            owned = at(value, ("metadata", "ownerReferences"))
            if is_platform and not owned and (kind, space, name) not in expected:
                called = f"{space}/{name}" if space else name
                remark = DriftRemark(
                    "object", "gpuspec made it, but the profile no longer requires it"
                )
                yield Difference("unasked", "platform", f"{kind[1]} {called}", (remark,))
