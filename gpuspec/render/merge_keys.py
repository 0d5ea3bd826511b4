"""The keys by which patches match the items of lists.

Those of pods and of Kubernetes' own kinds merge as the API's types say (`patchMergeKey`). Operators
declare keys with `x-kubernetes-list-map-keys`; if a CRD declares none, lists of named pod templates
have the key by which the controller distinguishes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.manifests import Path

_OF_PODS = {
    "containers": "name",
    "env": "name",
    "ephemeralContainers": "name",
    "hostAliases": "ip",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "resourceClaims": "name",
    "schedulingGates": "name",
    "secrets": "name",
    "topologySpreadConstraints": "topologyKey",
    "volumeDevices": "devicePath",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")

_CLUSTER = {"workerGroupSpecs": "groupName", "networkPolicy.workerGroups": "groupName"}
_REPLICATED = {"replicatedJobs": "name", "replicatedJobs.dependsOn": "name"}
_TASKS = {"tasks": "name"}


def _below(above: str, lists: Mapping[str, str]) -> dict[str, str]:
    return {f"{above}.{path}": key for path, key in lists.items()}


# By group and kind: the path of the list, indices left out, and the key of its items.
_OF_KINDS: dict[str, dict[str, str]] = {
    "batch.volcano.sh/CronJob": _below("spec.jobTemplate.spec", _TASKS),
    "batch.volcano.sh/Job": _below("spec", _TASKS),
    "jobset.x-k8s.io/JobSet": _below("spec", _REPLICATED),
    "ray.io/RayCluster": _below("spec", _CLUSTER),
    "ray.io/RayCronJob": _below("spec.jobTemplate.rayClusterSpec", _CLUSTER),
    "ray.io/RayJob": _below("spec.rayClusterSpec", _CLUSTER),
    "ray.io/RayService": _below("spec.rayClusterConfig", _CLUSTER),
    "trainer.kubeflow.org/ClusterTrainingRuntime": _below("spec.template.spec", _REPLICATED),
    "trainer.kubeflow.org/TrainJob": {
        "spec.runtimePatches": "manager",
        **_below("spec.runtimePatches.trainingRuntimeSpec.template.spec", _REPLICATED),
    },
    "trainer.kubeflow.org/TrainingRuntime": _below("spec.template.spec", _REPLICATED),
}
# Mappings that are replaced all the same (`patchStrategy=replace`), by kind.
_REPLACED = {"PodDisruptionBudget": ("spec", "selector")}


def lists_of(value: Mapping[str, object]) -> Mapping[str, str]:
    """Return the keyed lists of an object's kind, outside pods."""
    group = str(value.get("apiVersion")).partition("/")[0]
    return _OF_KINDS.get(f"{group}/{value.get('kind')}", {})


def replaced_of(value: Mapping[str, object]) -> Path | None:
    """Return the mapping of an object's kind that a patch replaces as a whole; None if it has none."""
    return _REPLACED.get(str(value.get("kind")))


def merge_key(path: Path, lists: Mapping[str, str]) -> str | None:
    """Return the key by which the items of the list at a path merge; None for lists that are
    replaced.

    `lists` are the kind's keyed lists.
    """
    if path == ("spec", "ports"):
        return "port"  # of a Service; those of a NetworkPolicy have no key
    if path == ("imagePullSecrets",):
        return None  # of a ServiceAccount, unlike a pod's
    if path[-1:] == ("ports",):
        return "containerPort" if len(path) > 2 and path[-3] in _CONTAINERS else None
    if lists:
        list_key = lists.get(".".join(step for step in path if isinstance(step, str)))
        if list_key is not None:
            return list_key
    return _OF_PODS.get(str(path[-1])) if path else None
