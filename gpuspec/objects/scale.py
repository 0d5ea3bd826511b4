"""How many pods of a kind there are, from the least to the most that an autoscaler makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.kinds.scale import Scale, between, bounded
from gpuspec.objects.scalers import scalers_of

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod


def scale_of(pod: Pod, collection: Collection) -> Scale | str:
    """Pods of this kind that run at once; or why that cannot be told."""
    owner, traits = pod.object, pod.object.traits
    if traits.template:
        return "a template: what is made of it counts"
    if traits.steps:
        return "its steps decide how many pods run at once"
    if owner.is_a("apps", "DaemonSet"):
        return "a pod on each node"
    inside = pod.base[len(owner.base) :]
    if traits.own_pods is not None and (found := traits.own_pods(owner.value, inside)) is not None:
        return found
    moved = None if traits.own_groups is None else traits.own_groups(owner.value, inside)
    moved = moved or _beside(owner, collection)
    count, groups = pod.role.count, pod.role.groups
    if moved is None and groups is not None:
        moved = Scale(bounded(groups), bounded(groups))
    if moved is None or count is None:
        return "nothing here says how many pods there are"
    return moved.times(bounded(count))


def _beside(owner: Object, collection: Collection) -> Scale | None:
    """What an autoscaler beside the object says: of several the first."""
    for one in scalers_of(owner, collection):
        least = one.object.spec.get("idleReplicaCount", one.least) if one.keda else one.least
        return between(least, one.most, f"{one.object.kind} {one.object.name}")
    return None
