"""Pods that request more than the limits of their Karpenter NodePools allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.placement.made_nodes import (
    LimitBound,
    binding,
    bound_by_amounts,
    bound_by_machines,
    limits_of,
    rejections,
)
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.amounts import all_amounts, at_once
from gpuspec.objects.objects import Object, Pod

if TYPE_CHECKING:
    from gpuspec.lint.analysis.placement.made_nodes import PoolBinding

RULE = Rule(
    "GPU214",
    "over-nodepool",
    "error",
    "A Karpenter NodePool's limits are below what its pods request",
)
_LATER = "the remaining pods stay Pending once the limit is reached"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that select NodePools of the set, by the pool's name or by a label of its nodes."""
    bound = binding(pod, context)
    if bound is None:
        return
    turned_away = rejections(pod, context)
    pools = [pool for pool in bound.pools if pool.number not in turned_away]
    if len(pools) == 1:
        yield from _of_one(pod, pools[0], bound, context)
    elif pools:
        yield from _of_several(pod, pools, context)


def _of_one(pod: Pod, pool: Object, bound: PoolBinding, context: Context) -> Iterator[RawFinding]:
    limits, count = limits_of(pool), at_once(pod)
    over = [
        (resource, amount)
        for resource, amount in all_amounts(pod).items()
        if resource in limits and amount * count > limits[resource]
    ]
    for resource, amount in over:
        never = amount > limits[resource]
        yield RawFinding(
            pool.path("spec", "limits", resource),
            f"NodePool `{pool.name}` is limited to {shown(resource, limits[resource])}, but "
            f"{_owner(pod)} requests {shown(resource, amount * count)}: "
            + ("it stays Pending" if never else _LATER),
            note="request less, or raise `limits` of the NodePool",
            severity=None if never and bound.by_name else "warning",
            confidence="certain" if bound.by_name else "likely",
            object=pool.number,
            related=(_asking(pod),),
        )
    machines = None if over else bound_by_machines(pod, pool, context)
    if machines is not None and machines.pods < count:
        resource = machines.resource
        yield RawFinding(
            pool.path("spec", "limits", resource),
            f"NodePool `{pool.name}` is limited to {shown(resource, limits[resource])}, which is "
            f"enough for {_nodes(machines)}: {_some(machines.pods, count)} pods of {_owner(pod)} "
            f"run, and {'they stay' if not machines.pods else 'the others stay'} Pending",
            note="raise the limit: Karpenter counts everything that a node has, not what pods request",
            severity="warning",
            confidence="likely",
            object=pool.number,
            related=(_asking(pod),),
        )


def _of_several(pod: Pod, pools: list[Object], context: Context) -> Iterator[RawFinding]:
    bounds: list[LimitBound] = []
    for pool in pools:
        pool_bounds = (bound_by_amounts(pod, pool), bound_by_machines(pod, pool, context))
        certain_bounds = [bound for bound in pool_bounds if bound is not None]
        if not certain_bounds:
            return
        bounds.append(min(certain_bounds, key=lambda bound: bound.pods))
    together, count = sum(bound.pods for bound in bounds), at_once(pod)
    if together < count:
        pool, resource = pools[0], bounds[0].resource
        yield RawFinding(
            pool.path("spec", "limits", resource),
            f"limits of the NodePools {names([each_pool.name for each_pool in pools])} are enough for "
            f"{together} of {count} pods of {_owner(pod)}: {_LATER}",
            note="request less, or raise `limits` of the NodePools",
            severity="warning",
            confidence="likely",
            object=pool.number,
            related=(_asking(pod),),
        )


def _nodes(bound: LimitBound) -> str:
    machine = f"`{bound.machine}`" if bound.machine else "its instance types"
    if not bound.nodes:
        return f"no node of {machine}"
    return f"{bound.nodes} {'node' if bound.nodes == 1 else 'nodes'} of {machine}"


def _some(pods: int, count: int) -> str:
    return f"{pods} of {count}" if pods else "none of the" if count > 1 else "no"


def _owner(pod: Pod) -> str:
    return f"{pod.object.kind} `{pod.object.name}`"


def _asking(pod: Pod) -> RelatedPlace:
    return RelatedPlace(pod.object.number, pod.path(), "requests them")
