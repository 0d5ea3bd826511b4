"""AIBrix. Sources: its CRDs (0.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds import ray
from gpuspec.kinds.model import Kind, Part, Selects
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.parts import listed, product
from gpuspec.kinds.references import scale_target, secret
from gpuspec.manifests.values import at, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "orchestration.aibrix.ai"


def _fleet(value: dict[str, Any], inside: Path) -> Part:
    """Each replica is a whole Ray cluster."""
    one = ray.part(value, inside)
    return Part(one.name, one.count, whole(at(value, ("spec", "replicas")), 1), one.gang)


def _pod_set(value: dict[str, Any], inside: Path) -> Part:
    return Part("pod", product(value, "spec.podGroupSize"), gang=True)


def _cache(value: dict[str, Any], inside: Path) -> Part:
    *outer, _, _ = inside
    return Part(str(outer[-1]), whole(at(value, (*outer, "replicas")), 1))


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
        part=listed("roles", "name", "role", "replicas", "podGroupSize", groups="spec.replicas"),
        scaled=REPLICAS,
    ),
    Kind(
        GROUP,
        "RoleSet",
        "workload",
        templates=("spec.roles.*.template",),
        life="service",
        part=listed("roles", "name", "role", "replicas", "podGroupSize"),
    ),
    Kind(
        GROUP,
        "PodSet",
        "workload",
        templates=("spec.template",),
        life="service",
        part=_pod_set,
    ),
    Kind(
        GROUP,
        "RayClusterFleet",
        "workload",
        templates=ray.templates("spec.template.spec"),
        life="service",
        part=_fleet,
        scaled=REPLICAS,
    ),
    Kind(
        GROUP,
        "RayClusterReplicaSet",
        "workload",
        templates=ray.templates("spec.template.spec"),
        life="service",
        part=_fleet,
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
        image_filled=True,
        completed=True,
    ),
)
