"""The rollout of an object: how many pods it may add, and how many it may remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at, mapping, text, whole
from gpuspec.numbers import read_percent
from gpuspec.objects.scalers import scalers_of

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


class Replacing(msgspec.Struct, frozen=True):
    """One rollout, in whole pods (groups of an LWS)."""

    replicas: int
    """Number of pods: the written one, or an autoscaler's minimum."""
    replicas_in: str
    """The field with the number: `replicas`, `minReplicas`."""
    surge: int
    unavailable: int
    at_once: bool
    """Whether it is `Recreate`: all pods end before the first new one starts."""
    strategy: Path
    """The field of the strategy: `spec.strategy`, `spec.rolloutStrategy`."""
    rolling: str
    """The field in it with the numbers."""
    away: int | str
    """`maxUnavailable` before rounding: as written, or its default."""

    @property
    def chosen(self) -> bool:
        """Whether it is explicitly 0."""
        return self.away in (0, "0%")


def replacing(owner: Object, collection: Collection) -> Replacing | None:
    """Return the rollout of an object's pods; None for kinds without these fields, and for invalid
    values.

    Source: Kubernetes, pkg/controller/deployment/util (ResolveFenceposts): surge rounds up,
    unavailable down, and if both are 0 one may be unavailable.
    """
    rollout = owner.traits.rollout
    if rollout is None or (rollout.told is not None and not rollout.told(owner.value)):
        return None
    counted = rollout.replicas.rpartition(".")[2]
    inside = ("spec", *rollout.strategy.split("."))
    field, most_away = owner.path(*inside), rollout.unavailable
    replicas = _least(owner, rollout.replicas, collection)
    if replicas is None:
        return None
    strategy = mapping(at(owner.value, inside))
    if text(strategy.get("type")) == "Recreate":
        return Replacing(replicas, counted, 0, replicas, True, field, rollout.rolling, replicas)
    rolling = mapping(strategy.get(rollout.rolling))
    surge = _share(rolling.get("maxSurge"), rollout.surge, replicas, up=True)
    max_unavailable = rolling.get("maxUnavailable")
    away = most_away if max_unavailable is None else max_unavailable
    unavailable = _share(away, most_away, replicas, up=False)
    if surge is None or unavailable is None:
        return None
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return Replacing(
        replicas,
        counted,
        surge,
        min(unavailable, replicas),
        False,
        field,
        rollout.rolling,
        away,
    )


def replicas_of(owner: Object, collection: Collection) -> int | None:
    """Return the smallest number of pods (groups) of an object: an autoscaler's minimum, or else
    the written one."""
    return _least(owner, "replicas", collection)


def most_replicas_of(owner: Object, collection: Collection) -> int:
    """Return the largest number of pods (groups) of an object: an autoscaler's maximum, or else the
    written one."""
    moved = [scaler.most for scaler in scalers_of(owner, collection) if scaler.most is not None]
    return max([*moved, replicas_of(owner, collection) or 0])


def _least(owner: Object, field: str, collection: Collection) -> int | None:
    moved = scalers_of(owner, collection)
    if moved:
        return max(1, min(scaler.least or 0 for scaler in moved))
    return whole(at(owner.spec, tuple(field.split("."))), 1)


def _share(value: Any, default: str | int, of: int, *, up: bool) -> int | None:
    """Return a number, or a percentage of one, in whole pods."""
    value = default if value is None else value
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 0 else None
    percent = read_percent(value)
    if percent is None:
        return None
    return -(-of * percent // 100) if up else of * percent // 100
