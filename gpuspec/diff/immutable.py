"""Fields that the API server keeps as they are: an apply that changes one is refused.

Built-in kinds: tried one by one against a real API server, as tests/control_plane/test_immutable.py
does. Others: validation rules (`self == oldSelf`) and webhooks of JobSet 0.12, LeaderWorkerSet 0.10,
Kueue 0.19, Trainer 2.3, Volcano 1.15, KubeRay 1.7, the NVIDIA DRA driver and NIM Operator 3. What only a controller's
feature gate, or the state of what runs, decides is not told.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.diff.steps import Pattern, begins, touches, written
from gpuspec.diff.values import ABSENT, quantity

if TYPE_CHECKING:
    from gpuspec.diff.fields import Raw


class Kept(msgspec.Struct, frozen=True):
    """What of a kind cannot change."""

    fixed: tuple[str, ...]
    """Patterns of fields."""
    but: tuple[str, ...] = ()
    """Patterns of fields below those, which can."""
    suspended: tuple[str, ...] = ()
    """Fields that can while the object is suspended."""
    way: str = ""
    """What to do instead; empty for the usual: delete it first, or give it another name."""


_JOB_POD = "spec.template.spec"
_QUEUED = (
    "spec.template.metadata.labels",
    "spec.template.metadata.annotations",
    f"{_JOB_POD}.nodeSelector",
    f"{_JOB_POD}.tolerations",
    f"{_JOB_POD}.schedulingGates",
)
_ORPHAN = "`kubectl delete --cascade=orphan` takes it away and leaves its pods and volumes"

TABLE: dict[tuple[str, str], Kept] = {
    ("apps", "Deployment"): Kept(("spec.selector",)),
    ("apps", "DaemonSet"): Kept(("spec.selector",), way=_ORPHAN),
    ("apps", "ReplicaSet"): Kept(("spec.selector",)),
    ("apps", "StatefulSet"): Kept(
        ("spec",),
        but=(
            *("spec.replicas", "spec.ordinals", "spec.template", "spec.updateStrategy"),
            *("spec.revisionHistoryLimit", "spec.minReadySeconds"),
            "spec.persistentVolumeClaimRetentionPolicy",
        ),
        way=_ORPHAN,
    ),
    ("batch", "Job"): Kept(
        (
            *("spec.template", "spec.selector", "spec.completions", "spec.completionMode"),
            *("spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.successPolicy"),
            "spec.managedBy",
        ),
        suspended=(*_QUEUED, f"{_JOB_POD}.affinity", f"{_JOB_POD}.containers.*.resources"),
        way="give the Job a new name, or delete it first",
    ),
    ("", "Pod"): Kept(
        ("spec",),
        but=(
            *("spec.containers.*.image", "spec.initContainers.*.image"),
            "spec.activeDeadlineSeconds",
        ),
    ),
    ("", "Service"): Kept(("spec.clusterIP", "spec.clusterIPs", "spec.loadBalancerClass")),
    ("", "PersistentVolumeClaim"): Kept(
        ("spec",),
        but=("spec.resources.requests", "spec.volumeAttributesClassName"),
        way="make another claim and copy its data",
    ),
    ("", "PersistentVolume"): Kept(
        tuple(
            f"spec.{source}"
            for source in (
                *("csi", "nfs", "hostPath", "local", "iscsi", "fc", "rbd", "cephfs"),
                *("awsElasticBlockStore", "azureDisk", "azureFile", "gcePersistentDisk"),
                "volumeMode",
            )
        )
    ),
    ("", "Secret"): Kept(("type",)),
    ("", "ResourceQuota"): Kept(("spec.scopes",)),
    ("storage.k8s.io", "StorageClass"): Kept(
        ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")
    ),
    ("storage.k8s.io", "VolumeAttributesClass"): Kept(("driverName", "parameters")),
    ("storage.k8s.io", "CSIDriver"): Kept(("spec.attachRequired", "spec.volumeLifecycleModes")),
    ("scheduling.k8s.io", "PriorityClass"): Kept(("value", "preemptionPolicy")),
    ("node.k8s.io", "RuntimeClass"): Kept(("handler",)),
    ("rbac.authorization.k8s.io", "RoleBinding"): Kept(("roleRef",)),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): Kept(("roleRef",)),
    ("networking.k8s.io", "IngressClass"): Kept(("spec.controller",)),
    ("resource.k8s.io", "ResourceClaim"): Kept(("spec",)),
    ("resource.k8s.io", "ResourceClaimTemplate"): Kept(("spec",)),
    ("resource.nvidia.com", "ComputeDomain"): Kept(("spec",)),
    ("jobset.x-k8s.io", "JobSet"): Kept(
        (
            *("spec.replicatedJobs", "spec.network", "spec.successPolicy", "spec.failurePolicy"),
            *("spec.startupPolicy", "spec.volumeClaimPolicies", "spec.managedBy"),
        ),
        suspended=tuple(f"spec.replicatedJobs.*.template.{one}" for one in _QUEUED),
        way="give the JobSet a new name, or delete it first",
    ),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Kept(
        ("spec.leaderWorkerTemplate.subGroupPolicy",)
    ),
    ("trainer.kubeflow.org", "TrainJob"): Kept(
        ("spec.runtimeRef", "spec.initializer", "spec.trainer", "spec.managedBy"),
        way="give the TrainJob a new name, or delete it first",
    ),
    ("batch.volcano.sh", "Job"): Kept(
        ("spec",),
        but=(
            *("spec.minAvailable", "spec.tasks.*.replicas", "spec.tasks.*.minAvailable"),
            "spec.priorityClassName",
        ),
        way="give the Job a new name, or delete it first",
    ),
    ("ray.io", "RayCluster"): Kept(("spec.managedBy",)),
    ("ray.io", "RayJob"): Kept(("spec.managedBy",)),
    ("ray.io", "RayService"): Kept(("spec.managedBy",)),
    ("kueue.x-k8s.io", "LocalQueue"): Kept(("spec.clusterQueue",)),
    ("kueue.x-k8s.io", "Topology"): Kept(("spec.levels",)),
    ("kueue.x-k8s.io", "AdmissionCheck"): Kept(("spec.controllerName",)),
    ("apps.nvidia.com", "NIMCache"): Kept(("spec",)),
    ("apps.nvidia.com", "NIMService"): Kept(("spec.draResources",)),
}
_DATA: tuple[Pattern, ...] = (("data",), ("stringData",), ("binaryData",), ("immutable",))
_STORAGE: Pattern = ("spec", "resources", "requests", "storage")


def way(kind: tuple[str, str]) -> str:
    """What to do where the apply is refused."""
    found = TABLE.get(kind)
    return (found and found.way) or "delete it first, or give it another name"


def kept_field(kind: tuple[str, str], raw: Raw) -> str:
    """The field that is kept, of which this is a part: `spec.template` of a Job."""
    kept = TABLE.get(kind)
    for text in kept.fixed if kept else ():
        pattern = tuple(text.split("."))
        if len(pattern) > 1 and touches(raw.steps, pattern):
            return text
    return written(raw.steps[:2] if raw.steps[0] == "spec" else raw.steps[:1])


def is_refused(kind: tuple[str, str], raw: Raw, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether an apply is refused for a field. `kind` is group and kind; the objects are whole."""
    steps = raw.steps
    is_data = any(touches(steps, pattern) for pattern in _DATA)
    if kind in (("", "ConfigMap"), ("", "Secret")) and old.get("immutable") is True and is_data:
        return True
    if kind == ("", "PersistentVolumeClaim") and begins(steps, _STORAGE):
        return _shrinks(raw)
    if kind == ("", "Service") and steps[:1] == ("spec",) and not _keeps_address(raw, old, new):
        return False
    kept = TABLE.get(kind)
    if kept is None or not any(touches(steps, one) for one in _patterns(kept.fixed)):
        return False
    free = kept.but
    if _is_suspended(old) and _is_suspended(new):
        free += kept.suspended
    if any(begins(steps, one) for one in _patterns(free)):
        return False
    if kind == ("", "Pod"):
        # A pod takes more tolerations, and keeps those that it has.
        return not (begins(steps, ("spec", "tolerations")) and raw.old is ABSENT)
    if kind == ("kueue.x-k8s.io", "Topology"):
        return not (_ends_at_hosts(old) and _ends_at_hosts(new))
    return not (
        kind == ("batch", "Job") and steps == ("spec", "completions") and _elastic(old, new)
    )


def _ends_at_hosts(one: dict[str, Any]) -> bool:
    levels = _spec(one).get("levels")
    return isinstance(levels, list) and levels[-1:] == [{"nodeLabel": "kubernetes.io/hostname"}]


def _keeps_address(raw: Raw, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether a Service has to keep a field: what is left out, or was never set, it may."""
    if raw.new is ABSENT or _spec(new).get("type") == "ExternalName":
        return False
    # Without an address of its own the server chose one, which is not the new one.
    return _spec(old).get("type") != "ExternalName"


def _is_suspended(one: dict[str, Any]) -> bool:
    return _spec(one).get("suspend") is True


def _elastic(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether an indexed Job changes its completions together with its parallelism."""
    spec = _spec(new)
    return (
        spec.get("completionMode") == _spec(old).get("completionMode") == "Indexed"
        and spec.get("parallelism") == spec.get("completions")
        and _spec(old).get("parallelism") == _spec(old).get("completions")
    )


def _shrinks(raw: Raw) -> bool:
    old, new = (
        quantity(one) if isinstance(one, str | int | float) else None for one in (raw.old, raw.new)
    )
    return old is not None and (new is None or new < old)


def _spec(one: dict[str, Any]) -> dict[str, Any]:
    found = one.get("spec")
    return found if isinstance(found, dict) else {}


@cache
def _patterns(texts: tuple[str, ...]) -> tuple[Pattern, ...]:
    return tuple(tuple(text.split(".")) for text in texts)
