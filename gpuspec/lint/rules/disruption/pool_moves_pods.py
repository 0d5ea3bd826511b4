"""GPU nodes that Karpenter empties as soon as their pods fit elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.placement.node_pools import is_simulated, node_pools
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU864",
    "pool-moves-pods",
    "info",
    "Karpenter may evict GPU pods to consolidate their nodes",
    fix="unsafe",
)
_MOVES = "WhenEmptyOrUnderutilized"


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield NodePools of GPU machines that say so; of runs that are here another rule speaks."""
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
            "fit on fewer or cheaper nodes: a run loses the work since its last "
            "checkpoint, and a server has to load its model again",
            note="set `consolidationPolicy: WhenEmpty`, which removes only empty nodes, or protect "
            'single pods with `karpenter.sh/do-not-disrupt: "true"`',
            object=obj.number,
            confidence="possible",
            fix=Fix("remove only empty nodes", (Put(path, "WhenEmpty"),)),
        )


def _is_held(disruption: dict[str, Any]) -> bool:
    """Return whether a budget bounds it by reason or by time: somebody thought of what runs
    there."""
    budgets = (mapping(budget) for budget in items(disruption.get("budgets")))
    return any(
        budget.get("schedule") or budget.get("reasons") or budget.get("nodes") == "0"
        for budget in budgets
    )
