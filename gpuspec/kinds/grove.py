"""Grove (v1alpha1). Sources: its CRDs; ai-dynamo/grove at fcc3b3bb docs/api-reference/operator-api.md (SchedulerName)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind
from gpuspec.kinds.owned import REPLICAS
from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "grove.io"


def _clique(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a clique, multiplied by the replicas of its scaling group."""
    template = mapping(at(value, ("spec", "template")))
    clique = mapping(at(value, inside[:4]))
    name = text(clique.get("name"))
    scaled = map(mapping, items(template.get("podCliqueScalingGroups")))
    holding_groups = (
        scaling_group for scaling_group in scaled if name in items(scaling_group.get("cliqueNames"))
    )
    times = whole(next(holding_groups, {}).get("replicas"), 1)
    count = whole(mapping(clique.get("spec")).get("replicas"), 1)
    total = None if count is None or times is None else count * times
    return PodGroupKind(
        name or "clique", total, whole(at(value, ("spec", "replicas")), 1), gang=True
    )


def _alone(value: dict[str, Any], inside: Path) -> PodGroupKind:
    return PodGroupKind("pod", whole(at(value, ("spec", "replicas")), 1), gang=True)


KINDS = (
    Kind(GROUP, "ClusterTopologyBinding", "queue", namespaced=False),
    Kind(
        GROUP,
        "PodCliqueSet",
        "workload",
        specs=("spec.template.cliques.*.spec.podSpec",),
        life="service",
        part=_clique,
        scaled=REPLICAS,
        gangs_for=("kai-scheduler", "volcano"),
    ),
    Kind(
        GROUP,
        "PodClique",
        "workload",
        specs=("spec.podSpec",),
        life="service",
        part=_alone,
        scaled=REPLICAS,
    ),
    Kind(GROUP, "PodCliqueScalingGroup", "workload", scaled=REPLICAS),
    Kind("scheduler.grove.io", "PodGang", "queue"),
)
