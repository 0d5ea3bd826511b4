"""Bind pods to the pools, zones and regions that a spec names, by the profile's labels."""

from typing import Any

import msgspec

from gpuspec.fleet.labels import pool_labels as all_labels
from gpuspec.plan import place
from gpuspec.plan.decision import Decision, PlanPart, from_spec
from gpuspec.plan.exclusions import ARCH, reachable, telling_label
from gpuspec.plan.model_labels import KIND_LABELS, stated_label
from gpuspec.plan.products import pool_labels
from gpuspec.plan.required import Expression, architecture_of, demanded, one_of
from gpuspec.plan.resolution import ChosenPool, ExcludedPool, RefusalReason, Resolution
from gpuspec.spec import Pool
from gpuspec.spec.pools import REGION_LABEL, ZONE_LABEL
from gpuspec.spec.quoting import either

_INSTANCE, *_NODE_POOLS = KIND_LABELS
_HOSTNAME = "kubernetes.io/hostname"
_OF_POOLS = ("pool", "group")
_STEP = 10


class PoolTerms(msgspec.Struct, frozen=True):
    """The terms that identify nodes of the chosen pools, any of which is enough, and the reason."""

    terms: list[list[Expression]]
    why: Decision

    @property
    def single(self) -> list[Expression]:
        """The labels that every suitable node has; empty if there are several terms."""
        return self.terms[0] if len(self.terms) == 1 else []


def bound(resolution: Resolution, arch: str, required: list[Expression]) -> PoolTerms | None:
    """Return the terms for the pools that the spec names; None if it names none."""
    if not resolution.spec.place.pools or not resolution.pools:
        return None
    others = [
        out for out in resolution.excluded_pools if reachable(resolution, out, arch, required)
    ]
    labels_of_pools = _by_one(resolution, others) or [
        _telling(resolution, chosen, others) or {} for chosen in resolution.pools
    ]
    names = either(chosen.pool.name for chosen in resolution.pools)
    keys = dict.fromkeys(key for term in labels_of_pools for key in term)
    reason = f"only nodes of {names}, by {' and '.join(keys)}"
    return PoolTerms(_terms(labels_of_pools), from_spec((*place.PATH, "pools"), None, reason))


def preferred(resolution: Resolution) -> PlanPart:
    """Return weights that decrease in the spec's order of pools; none for a single pool."""
    order = resolution.spec.place.prefer
    pools = sorted(
        (chosen for chosen in resolution.pools if chosen.pool.name in order),
        key=lambda chosen: place.rank(resolution.spec, chosen.pool),
    )
    if len(resolution.pools) < 2 or not pools:
        return None
    weighted: list[dict[str, Any]] = []
    for index, chosen in enumerate(pools):
        term = _telling(resolution, chosen, _others(resolution, chosen)) or {}
        preference = {"matchExpressions": [one_of(key, list(v)) for key, v in term.items()]}
        weighted.append({"weight": max(1, 100 - _STEP * index), "preference": preference})
    names = ", then ".join(chosen.pool.name for chosen in pools)
    return from_spec((*place.PATH, "prefer"), weighted, f"the spec's order: {names}")


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for named pools that no label distinguishes from others."""
    requested_place, reasons = resolution.spec.place, list[RefusalReason]()
    if not resolution.pools:
        return reasons
    arch, (required, _) = architecture_of(resolution).value, demanded(resolution)
    others = [
        out for out in resolution.excluded_pools if reachable(resolution, out, arch, required)
    ]
    for chosen in resolution.pools if requested_place.pools else ():
        if not _telling(resolution, chosen, others):
            reasons.append(_untold(resolution, "pools", chosen.pool, others))
    for chosen in resolution.pools if len(resolution.pools) > 1 else ():
        beside = _others(resolution, chosen)
        if chosen.pool.name in requested_place.prefer and not _telling(resolution, chosen, beside):
            reasons.append(_untold(resolution, "prefer", chosen.pool, beside))
    for out in others:
        if out.pool.name in requested_place.never and telling_label(resolution, out) is None:
            reasons.append(_untold(resolution, "never", out.pool, list(resolution.pools)))
    return reasons


def _untold(
    resolution: Resolution, field: str, pool: Pool, others: list[ExcludedPool] | list[ChosenPool]
) -> RefusalReason:
    where = resolution.workload.place(
        (*place.PATH, field, getattr(resolution.spec.place, field).index(pool.name))
    )
    hint = (
        "add a label to its `labels` that only its nodes have, such as a node pool's, "
        f"or {_HOSTNAME} of a single node"
    )
    if not others:
        return RefusalReason(
            f"the profile lists no label of pool {pool.name} that could select its nodes",
            where,
            hint,
        )
    names = " and ".join(other_pool.pool.name for other_pool in others)
    text = f"no label distinguishes the nodes of pool {pool.name} from those of {names}"
    return RefusalReason(text, where, hint)


def _others(resolution: Resolution, chosen: ChosenPool) -> list[ChosenPool]:
    return [pool for pool in resolution.pools if pool.index != chosen.index]


def _telling(
    resolution: Resolution, chosen: ChosenPool, others: list[ExcludedPool] | list[ChosenPool]
) -> dict[str, tuple[str, ...]] | None:
    """Return labels that only the pool's nodes have: one, or the smallest combination.

    None if there are none. Without another pool, the label that users know the pool by.
    """
    labels = _labels(resolution, chosen)
    for key, values in labels.items():
        if not any(_may_have(resolution, other_pool.pool, key, values) for other_pool in others):
            return {key: values}
    telling_labels: dict[str, tuple[str, ...]] = {}
    remaining = [other_pool.pool for other_pool in others]
    for key, values in labels.items():
        still = [pool for pool in remaining if _may_have(resolution, pool, key, values)]
        if len(still) < len(remaining):
            telling_labels[key], remaining = values, still
    return telling_labels if telling_labels and not remaining else None


def _by_one(resolution: Resolution, others: list[ExcludedPool]) -> list[dict[str, tuple[str, ...]]]:
    """Return the label that distinguishes all chosen pools from the others; empty if there is
    none."""
    labels_of_pools = [_labels(resolution, chosen) for chosen in resolution.pools]
    for key in labels_of_pools[0]:
        values = [labels.get(key, ()) for labels in labels_of_pools]
        alone = not any(_may_have(resolution, o.pool, key, have) for o in others for have in values)
        if alone and all(values):
            return [{key: have} for have in values]
    return []


def _labels(resolution: Resolution, chosen: ChosenPool) -> dict[str, tuple[str, ...]]:
    """Return the labels of a pool's nodes with their values, best-known ones first."""
    pool = chosen.pool
    own_labels: dict[str, tuple[str, ...]] = {
        key: (value,) for key, value in pool_labels(resolution, pool, chosen.model).items()
    }
    own_labels.pop(ARCH, None)
    model = stated_label(pool, chosen.model)
    ordered = dict(sorted(own_labels.items(), key=lambda item: (_kind(item[0], model), item[0])))
    ordered |= {ZONE_LABEL: pool.all_zones} if pool.all_zones else {}
    return ordered | ({REGION_LABEL: (pool.its_region,)} if pool.its_region else {})


def _kind(key: str, model: str | None) -> int:
    """Return the sort key of a label: its pool, its name, its GPU, or a property that many pools
    share."""
    last = key.rpartition("/")[2]
    of_pools = key in _NODE_POOLS or any(word in last for word in _OF_POOLS)
    if of_pools:
        return 0
    return 1 if key == _HOSTNAME else 2 if key == model else 3


def _may_have(resolution: Resolution, pool: Pool, key: str, values: tuple[str, ...]) -> bool:
    """Return whether a node of another pool may have the label; a pool has no label that it does
    not state."""
    if key == ZONE_LABEL:
        return not pool.all_zones or bool(set(pool.all_zones) & set(values))
    if key == REGION_LABEL:
        return pool.its_region in (None, *values)
    from gpuspec.spec import model_of

    possible_values = all_labels(pool, model_of(pool), resolution.profile.spec.provider).values
    return any(value in values for value in possible_values.get(key, ()))


def _terms(labels_of_pools: list[dict[str, tuple[str, ...]]]) -> list[list[Expression]]:
    """Return one term if one label identifies all pools, else one for each."""
    keys = {tuple(term) for term in labels_of_pools}
    if len(keys) == 1 and len(labels_of_pools[0]) == 1:
        (key,) = labels_of_pools[0]
        return [
            [one_of(key, list(dict.fromkeys(v for term in labels_of_pools for v in term[key])))]
        ]
    terms = [
        [one_of(key, list(values)) for key, values in term.items()] for term in labels_of_pools
    ]
    return [term for at, term in enumerate(terms) if term not in terms[:at]]
