"""GPU nodes that Karpenter empties as soon as their pods fit elsewhere, or at an age, whatever the
budgets say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.placement.node_pools import is_simulated, node_pools, template
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU864",
    "pool-moves-pods",
    "info",
    "Karpenter may evict GPU pods to consolidate their nodes, or when they expire",
    fix="unsafe",
)
_MOVES = "WhenEmptyOrUnderutilized"


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield such NodePools of GPU machines; another rule reports runs that are in the set."""
    for pool in node_pools(collection):
        if pool.gpus and not is_simulated(pool.object):
            yield from _expiring(pool.object)
    if any(pod.gpus and pod.life == "finite" for pod in collection.pods):
        return
    for pool in node_pools(collection):
        obj = pool.object
        disruption = mapping(obj.spec.get("disruption"))
        if not pool.gpus or is_simulated(obj) or disruption.get("consolidationPolicy") != _MOVES:
            continue
        if disruption.get("consolidateAfter") == "Never" or _is_held(disruption):
            continue
        path = obj.path("spec", "disruption", "consolidationPolicy")
        yield RawFinding(
            path,
            f"`{_MOVES}` lets Karpenter evict GPU pods of NodePool `{obj.name}` when they "
            "fit on fewer or cheaper nodes: a run loses the work since the last "
            "checkpoint, and a server has to load its model again",
            note="set `consolidationPolicy: WhenEmpty`, which removes only empty nodes, or protect "
            'single pods with `karpenter.sh/do-not-disrupt: "true"`',
            object=obj.number,
            confidence="possible",
            fix=set_field(path, "WhenEmpty"),
        )


def _expiring(obj: Object) -> Iterator[RawFinding]:
    """Yield the lifetime of nodes that a budget is meant to keep: expiry heeds no budget."""
    age = template(obj).get("expireAfter", _DEFAULT_AGE)
    budgets = map(mapping, items(mapping(obj.spec.get("disruption")).get("budgets")))
    if age == "Never" or not isinstance(age, str):
        return
    for index, budget in enumerate(budgets):
        if budget.get("nodes") not in ("0", "0%") or budget.get("reasons"):
            continue
        is_set = "expireAfter" in template(obj)
        path = ("spec", "template", "spec", "expireAfter")
        yield RawFinding(
            obj.path(*path) if is_set else obj.path("spec", "disruption", "budgets", index),
            f"`expireAfter` {'is' if is_set else 'defaults to'} `{age}`, and expiry heeds no budget: Karpenter "
            "drains GPU nodes of that age at any hour",
            note=(
                "set `spec.template.spec.expireAfter: Never`: drift replaces nodes within the "
                "budgets"
            ),
            object=obj.number,
            confidence="possible",
        )
        return


_DEFAULT_AGE = "720h"


def _is_held(disruption: dict[str, Any]) -> bool:
    """Return whether a budget bounds it by reason or by time: somebody thought of what runs
    there."""
    budgets = (mapping(budget) for budget in items(disruption.get("budgets")))
    return any(
        budget.get("schedule") or budget.get("reasons") or budget.get("nodes") == "0"
        for budget in budgets
    )
