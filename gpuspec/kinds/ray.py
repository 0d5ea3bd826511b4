"""KubeRay (1.7). Sources: its CRDs; `validation.go`, `MaxRayClusterNameLength` and its siblings;
the `KuberayNodeProvider` of Ray's autoscaler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.common import below
from gpuspec.kinds.model import (
    ImmutableFields,
    Kind,
    Naming,
    Otherwise,
    PodChanges,
    PodGroupKind,
    Queueing,
    Reference,
    Rolls,
)
from gpuspec.kinds.owned import BY_KUEUE, ControllerField
from gpuspec.kinds.references import GATEWAY, STORAGE, claim, environment, key_refs, secret
from gpuspec.kinds.scale import Scale, between, number
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "ray.io"
CLUSTERS: dict[str, Path] = {
    "RayCluster": ("spec",),
    "RayJob": ("spec", "rayClusterSpec"),
    "RayService": ("spec", "rayClusterConfig"),
    "RayCronJob": ("spec", "jobTemplate", "rayClusterSpec"),
}
"""The path of the cluster's spec, by kind."""
JOBS: dict[str, Path] = {"RayJob": ("spec",), "RayCronJob": ("spec", "jobTemplate")}
"""The path of the RayJob's spec, by kind."""
_WORKERS = "workerGroupSpecs"
_KEPT = ImmutableFields(("spec.managedBy",))
_ROLLS = Rolls(
    "restart",
    "creates a new Ray cluster and switches to it: until then, both hold GPUs",
    also=("spec.rayClusterConfig",),
    but=tuple(
        f"spec.rayClusterConfig.{_WORKERS}.*.{name}"
        for name in ("replicas", "minReplicas", "maxReplicas")
    ),
    otherwise=(
        Otherwise(
            "spec.upgradeStrategy.type",
            "None",
            "new pods",
            "the running cluster does not change until it is deleted",
        ),
    ),
)
# Since KubeRay 1.6.
_RECREATES = Rolls(
    "new pods",
    "running pods do not change",
    otherwise=(
        Otherwise(
            "spec.upgradeStrategy.type",
            "Recreate",
            "restart",
            "deletes all pods of the cluster, including the head, and creates them again "
            "(`Recreate`)",
        ),
    ),
)


def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of the head, of a worker group, or of the submitter of a job.

    The workers of a job work together. The workload of a long-running cluster is unknown: each
    replica of a service may need one worker.
    """
    gang = value.get("kind") in JOBS
    if "headGroupSpec" in inside:
        return PodGroupKind("head", gang=gang)
    if _WORKERS not in inside:
        return PodGroupKind("submitter")
    group = mapping(at(value, inside[: inside.index(_WORKERS) + 2]))
    hosts = whole(group.get("numOfHosts"), 1)
    count = whole(group.get("replicas", group.get("minReplicas")), 1)
    total = None if hosts is None or count is None else hosts * count
    return PodGroupKind(f"worker {text(group.get('groupName'))}".strip(), total, gang=gang)


def _own_pods(value: dict[str, Any], inside: Path) -> Scale | None:
    """Return the workers of a cluster that scales itself."""
    if _WORKERS not in inside:
        return None
    cut = inside.index(_WORKERS)
    if at(value, (*inside[:cut], "enableInTreeAutoscaling")) is not True:
        return None
    group = mapping(at(value, inside[: cut + 2]))
    scale = between(group.get("minReplicas", 0), group.get("maxReplicas"), "Ray's autoscaler")
    return scale.times(number(group.get("numOfHosts"), 1))


CHANGES = PodChanges(("shared-mem", "ray-logs", "ray-token"), fields=frozenset({"restartPolicy"}))
"""Source: ray-operator/controllers/ray/common/pod.go (KubeRay 1.6.2)."""


def templates(base: str) -> tuple[str, ...]:
    """Return the patterns of the pods in a cluster's spec at a pattern."""
    return below(base, "headGroupSpec.template", f"{_WORKERS}.*.template")


def _templates(name: str) -> tuple[str, ...]:
    return templates(".".join(map(str, CLUSTERS[name])))


def _refers(name: str) -> tuple[Reference, ...]:
    cluster = ".".join(map(str, CLUSTERS[name]))
    storage = f"{cluster}.gcsFaultToleranceOptions"
    return (
        *key_refs(f"{storage}.redisPassword.valueFrom"),
        *key_refs(f"{storage}.redisUsername.valueFrom"),
        claim(f"{storage}.storage"),
        Reference(f"{storage}.storage", "storageClassName", STORAGE, "StorageClass"),
        secret(f"{cluster}.authOptions", "secretName"),
        *environment(f"{cluster}.autoscalerOptions"),
        *key_refs(f"{cluster}.historyServerOptions.collectorOptions.env.*.valueFrom"),
        secret(f"{cluster}.headGroupSpec.ingressOptions.tls.*", "secretName", optional=True),
    )


def _named(longest: int) -> Naming:
    return Naming(
        "letter first",
        longest,
        "KubeRay allows {longest}, since it names Services after it",
        refused="KubeRay rejects the object, and starts no pods",
    )


KINDS = (
    Kind(
        GROUP,
        "RayCluster",
        "workload",
        refers=_refers("RayCluster"),
        templates=_templates("RayCluster"),
        changes=CHANGES,
        part=part,
        own_pods=_own_pods,
        queueing=Queueing(),
        rewriter=BY_KUEUE,
        naming=_named(53),
        pod_label="ray.io/cluster",
        # The clusters of the other kinds are objects of their own, which nobody writes.
        sets=tuple(
            ControllerField(
                f"spec.{_WORKERS}.*.{name}",
                "Ray's autoscaler",
                (("spec", "enableInTreeAutoscaling"),),
            )
            for name in ("replicas", "scaleStrategy")
        ),
        kept=_KEPT,
        rolls=_RECREATES,
    ),
    Kind(
        GROUP,
        "RayJob",
        "workload",
        refers=_refers("RayJob"),
        templates=(*_templates("RayJob"), "spec.submitterPodTemplate"),
        changes=CHANGES,
        life="finite",
        part=part,
        own_pods=_own_pods,
        runs_once=True,
        queueing=Queueing(),
        rewriter=BY_KUEUE,
        naming=_named(47),
        kept=_KEPT,
    ),
    Kind(
        GROUP,
        "RayService",
        "workload",
        refers=(
            *_refers("RayService"),
            Reference(
                "spec.upgradeStrategy.clusterUpgradeOptions",
                "gatewayClassName",
                GATEWAY,
                "GatewayClass",
            ),
        ),
        templates=_templates("RayService"),
        changes=CHANGES,
        life="service",
        part=part,
        own_pods=_own_pods,
        makes=(Reference("spec.serveService.metadata", "name", "", "Service"),),
        queueing=Queueing(("spec", "rayClusterConfig", "suspend")),
        rewriter=BY_KUEUE,
        naming=_named(47),
        kept=_KEPT,
        rolls=_ROLLS,
    ),
    Kind(
        GROUP,
        "RayCronJob",
        "workload",
        refers=_refers("RayCronJob"),
        templates=(*_templates("RayCronJob"), "spec.jobTemplate.submitterPodTemplate"),
        changes=CHANGES,
        life="finite",
        part=part,
        own_pods=_own_pods,
        rolls=Rolls("next run", "applies from the next run", also=("spec.jobTemplate",)),
    ),
)
