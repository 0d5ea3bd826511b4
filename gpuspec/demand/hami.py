"""Pods that HAMi places by card memory and cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from gpuspec.fleet.fit import PodDemand
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Profile

_DIFFER = (
    "HAMi puts more of its pods on a card of one pool than of another, which gpuspec does not model"
)


def under_hami(demand: PodDemand, pod: Pod, profile: Profile) -> PodDemand:
    """Return the demand with the number of its pods that fit on one card of its possible pools."""
    from gpuspec.fleet.labels import pool_labels
    from gpuspec.fleet.match import selects
    from gpuspec.hardware.hami import GPU
    from gpuspec.objects.hami import is_hami, pods_a_card
    from gpuspec.objects.scheduling import scheduling
    from gpuspec.spec import model_of

    if not is_hami(pod):
        return demand
    pods_per_card: set[int] = set()
    for pool in profile.spec.pools:
        model = model_of(pool)
        labels = pool_labels(pool, model, profile.spec.provider)
        if pool.gpu.resource == GPU and pool.sharing is None and selects(scheduling(pod), labels):
            pods_per_card.add(pods_a_card(pod, model))
    pods_per_card.discard(0)
    if len(pods_per_card) > 1:
        return replace(demand, unknown=demand.unknown or _DIFFER)
    if not pods_per_card:
        return demand
    (per_card,) = pods_per_card
    pods = "1 of its pods" if per_card == 1 else f"{per_card} of its pods"
    note = f"HAMi puts {pods} on a card, by the memory and the cores that they request"
    return replace(demand, a_card=per_card, notes=(*demand.notes, note))
