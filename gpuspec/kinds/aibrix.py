"""Kinds of AIBrix. Sources: its CRDs (0.5); pkg/controller/roleset/sync.go and
podset/podset_controller.go (0.7), which create PodGroups;
rayclusterreplicaset/rayclusterreplicaset_utils.go, which gives a cluster the labels of its
template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import ray
from gpuspec.kinds.common import listed, product
from gpuspec.kinds.model import Kind, PodGroupKind, Reference, Selects
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import environment, priority, scale_target, secret
from gpuspec.manifests.values import at, items, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.manifests import Path

GROUP = "orchestration.aibrix.ai"
_CLUSTER = ("spec", "template", "metadata", "labels")


def _fleet(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a fleet, whose replicas are whole Ray clusters."""
    part = ray.part(value, inside)
    return PodGroupKind(part.name, part.count, whole(at(value, ("spec", "replicas")), 1), gang=True)


def _pod_set(value: dict[str, Any], inside: Path) -> PodGroupKind:
    return PodGroupKind("pod", product(value, "spec.podGroupSize"), gang=True)


def _roles(groups: str = "") -> Callable[[dict[str, Any], Path], PodGroupKind]:
    """Return the pods of a role. They need the pods of the other roles, and each other if a group
    has several pods."""
    part = listed("roles", "name", "role", "replicas", "podGroupSize", groups=groups)

    def told(value: dict[str, Any], inside: Path) -> PodGroupKind:
        at_roles = inside.index("roles") + 1
        several = len(items(at(value, inside[:at_roles]))) > 1
        size = whole(at(value, (*inside[: at_roles + 1], "podGroupSize")), 1)
        return msgspec.structs.replace(part(value, inside), gang=several or size != 1)

    return told


def _together(roles: str) -> tuple[str, ...]:
    """Return all roles as one group, or the pods of each role."""
    return f"{roles}.schedulingStrategy", f"{roles}.roles.*.schedulingStrategy"


def _scheduling(*bases: str) -> tuple[Reference, ...]:
    """Return what the scheduling strategies at some patterns name."""
    return tuple(
        reference
        for base in bases
        for reference in (
            priority(f"{base}.godelSchedulingStrategy"),
            priority(f"{base}.volcanoSchedulingStrategy"),
            Reference(
                f"{base}.volcanoSchedulingStrategy", "queue", "scheduling.volcano.sh", "Queue"
            ),
        )
    )


def _cache(value: dict[str, Any], inside: Path) -> PodGroupKind:
    *outer, _, _ = inside
    return PodGroupKind(str(outer[-1]), whole(at(value, (*outer, "replicas")), 1))


KINDS = (
    Kind("autoscaling.aibrix.ai", "PodAutoscaler", "scaling", refers=(scale_target(),)),
    Kind(
        "model.aibrix.ai",
        "ModelAdapter",
        "traffic",
        refers=(secret("spec.credentialsSecretRef"),),
        selects=(Selects("spec.podSelector"),),
    ),
    Kind(
        GROUP,
        "StormService",
        "workload",
        templates=("spec.template.spec.roles.*.template",),
        life="service",
        part=_roles(groups="spec.replicas"),
        scaled=REPLICAS,
        together=_together("spec.template.spec"),
        refers=_scheduling(*_together("spec.template.spec")),
    ),
    Kind(
        GROUP,
        "RoleSet",
        "workload",
        templates=("spec.roles.*.template",),
        life="service",
        part=_roles(),
        together=_together("spec"),
        refers=_scheduling(*_together("spec")),
    ),
    Kind(
        GROUP,
        "PodSet",
        "workload",
        templates=("spec.template",),
        life="service",
        part=_pod_set,
        together=("spec.schedulingStrategy",),
        refers=_scheduling("spec.schedulingStrategy"),
    ),
    Kind(
        GROUP,
        "RayClusterFleet",
        "workload",
        templates=ray.templates("spec.template.spec"),
        changes=ray.CHANGES,
        life="service",
        part=_fleet,
        labels=_CLUSTER,
        clusters=True,
        refers=environment("spec.template.spec.autoscalerOptions"),
        scaled=REPLICAS,
    ),
    Kind(
        GROUP,
        "RayClusterReplicaSet",
        "workload",
        templates=ray.templates("spec.template.spec"),
        changes=ray.CHANGES,
        life="service",
        part=_fleet,
        labels=_CLUSTER,
        clusters=True,
        refers=environment("spec.template.spec.autoscalerOptions"),
    ),
    Kind(
        GROUP,
        "KVCache",
        "workload",
        templates=(
            *("spec.cache.template", "spec.watcher.template"),
            "spec.metadata.*.runtime.template",
        ),
        life="service",
        part=_cache,
        refers=(
            secret("spec.metadata.etcd.externalConnection", "passwordSecretRef"),
            secret("spec.metadata.redis.externalConnection", "passwordSecretRef"),
        ),
        image_filled=True,
        completed=True,
    ),
)
