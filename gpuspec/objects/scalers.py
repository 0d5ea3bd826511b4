"""The autoscalers of a set, and the objects that they scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds.keda import MOST as KEDA_MOST
from gpuspec.manifests.values import mapping, text, whole
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object, meet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection


class Scaler(msgspec.Struct, frozen=True):
    """One autoscaler."""

    object: Object
    kind: str
    """The kind that it scales."""
    name: str
    """The name of the object that it scales."""
    least: int | None
    """None if it is not filled in."""
    most: int | None
    least_at: str
    """The field with the minimum."""
    most_at: str
    """The field with the maximum."""

    @property
    def of_role(self) -> bool:
        """Whether it scales one role of its target, and not the whole."""
        return self.object.spec.get("subTargetSelector") is not None

    @property
    def keda(self) -> bool:
        """Whether it is KEDA's."""
        return self.object.group == "keda.sh"

    def path(self, *steps: str | int) -> Path:
        """Return the path of a field of its spec."""
        return self.object.path("spec", *steps)

    def __str__(self) -> str:
        return f"{self.object.kind} `{self.object.name}`"


def scalers(collection: Collection) -> list[Scaler]:
    """Return all autoscalers of the set."""
    return collection.once(_all)


def scalers_of(owner: Object, collection: Collection) -> list[Scaler]:
    """Return the autoscalers whose target is certainly this object."""
    some = scalers_at(owner.kind, owner.name, owner.namespace, collection)
    return [scaler for scaler in some if meet(scaler.object, owner)]


def scalers_at(kind: str, name: str, namespace: str, collection: Collection) -> list[Scaler]:
    """Return the autoscalers whose target can be the object with this name. Do not change the list."""
    return collection.once(_by_target).at((kind, name), namespace)


def scaler_of(obj: Object) -> Scaler | None:
    """Return an object as an autoscaler, or None."""
    target = mapping(obj.spec.get("scaleTargetRef"))
    name = text(target.get("name"))
    if not name:
        return None
    if obj.is_a("autoscaling", "HorizontalPodAutoscaler"):
        least, most = whole(obj.spec.get("minReplicas"), 1), whole(obj.spec.get("maxReplicas"))
        kind = text(target.get("kind"))
        return Scaler(obj, kind, name, least, most, *_PLAIN)
    if obj.is_a("keda.sh", "ScaledObject"):
        least = whole(obj.spec.get("minReplicaCount"), 0)
        most = whole(obj.spec.get("maxReplicaCount"), KEDA_MOST)
        kind = text(target.get("kind")) or "Deployment"
        return Scaler(obj, kind, name, least, most, *_KEDA)
    if obj.is_a("autoscaling.aibrix.ai", "PodAutoscaler"):
        least, most = whole(obj.spec.get("minReplicas"), 1), whole(obj.spec.get("maxReplicas"))
        kind = text(target.get("kind"))
        return Scaler(obj, kind, name, least, most, *_PLAIN)
    return None


_PLAIN = ("minReplicas", "maxReplicas")
_KEDA = ("minReplicaCount", "maxReplicaCount")
_SCALERS = (
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("keda.sh", "ScaledObject"),
    ("autoscaling.aibrix.ai", "PodAutoscaler"),
)


def _all(collection: Collection) -> list[Scaler]:
    return list(_each(collection))


def _each(collection: Collection) -> Iterator[Scaler]:
    """Yield the autoscalers; one that a file contains twice counts once."""
    identities: set[tuple[str, ...]] = set()
    for group, kind in _SCALERS:
        for obj in collection.of(group, kind):
            scaler, same = scaler_of(obj), (group, kind, obj.namespace, obj.name, obj.file)
            if scaler is not None and not (obj.name and obj.file and same in identities):
                identities.add(same)
                yield scaler


def _by_target(collection: Collection) -> NamespacedIndex[Scaler]:
    return NamespacedIndex(
        ((scaler.kind, scaler.name), scaler.object.namespace, scaler)
        for scaler in _each(collection)
    )
