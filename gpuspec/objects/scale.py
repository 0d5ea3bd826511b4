"""The number of pods of a template, from an autoscaler's minimum to its maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.kinds.scale import Scale, between, bounded
from gpuspec.objects.objects import meet
from gpuspec.objects.references import made_by
from gpuspec.objects.scalers import scalers_at, scalers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.kinds import Kind
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.objects.scalers import Scaler


def scale_of(pod: Pod, collection: Collection) -> Scale | str:
    """Return how many pods of this template run at once, or why that is unknown."""
    owner, traits = pod.object, pod.object.traits
    if traits.template:
        return "a template: only the objects made from it count"
    if traits.steps:
        return "its steps decide how many pods run at once"
    if owner.is_a("apps", "DaemonSet"):
        return "a pod on each node"
    if (alone := _alone(pod, collection)) is not None:
        return alone
    inside = pod.base[len(owner.base) :]
    moved = None if traits.own_groups is None else traits.own_groups(owner.value, inside)
    if moved is None and _holder(traits) == ("spec",):
        moved = _first(scalers_of(owner, collection))
    if moved is None and ".".join(map(str, inside)) in traits.made:
        moved = _first(_of_made(owner, collection))
    count, groups = pod.role.count, pod.role.groups
    if moved is None and groups is not None:
        moved = Scale(bounded(groups), bounded(groups))
    if moved is None or count is None:
        return "the manifests do not say how many pods run"
    return moved.times(bounded(count))


def counts_alone(pod: Pod, collection: Collection) -> bool:
    """Return whether the number counts pods of this template alone, and not whole groups."""
    return _alone(pod, collection) is not None


def _alone(pod: Pod, collection: Collection) -> Scale | None:
    owner, traits = pod.object, pod.object.traits
    inside = pod.base[len(owner.base) :]
    if traits.own_pods is not None and (pods := traits.own_pods(owner.value, inside)) is not None:
        return pods.times(bounded(owner.copies)) if owner.copies is not None else None
    holder = _holder(traits)
    if len(holder) > 1 and inside[: len(holder)] == holder:
        return _first(scalers_of(owner, collection))
    return None


def _holder(traits: Kind) -> tuple[str, ...]:
    """Return the object with the number that autoscalers set."""
    return tuple(traits.scaled.split("."))[:-1]


def _of_made(owner: Object, collection: Collection) -> Iterator[Scaler]:
    """Yield the autoscalers of the objects that an object's controller creates."""
    for ref in made_by(owner):
        for scaler in scalers_at(ref.kind, ref.name, ref.namespace, collection):
            if meet(scaler.object, owner):
                yield scaler


def _first(some: Iterable[Scaler]) -> Scale | None:
    """Return the range of an object's autoscalers; of several, the first counts."""
    for scaler in some:
        least = 1 if scaler.least is None else scaler.least
        if scaler.keda:
            least = scaler.object.spec.get("idleReplicaCount", least)
        return between(least, scaler.most, f"{scaler.object.kind} {scaler.object.name}")
    return None
