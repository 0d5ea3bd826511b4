"""How many pods of a kind there are, from the least to the most that an autoscaler makes.

Sources: the defaults in the API references of Kubernetes, KEDA, Knative, KServe, KubeRay, the
Kubeflow training operator and the NIM operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.subjects.serving.scalers import KEDA_MOST, scalers_of
from gpuspec.lint.view.objects import at, mapping
from gpuspec.numbers import INT32, read_whole

if TYPE_CHECKING:
    from gpuspec.lint.view.collection import Collection
    from gpuspec.lint.view.objects import Object
    from gpuspec.lint.view.pods import Pod

_TEMPLATES = {
    ("", "PodTemplate"),
    ("trainer.kubeflow.org", "TrainingRuntime"),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
    ("serving.kserve.io", "ServingRuntime"),
    ("serving.kserve.io", "ClusterServingRuntime"),
    ("serving.kserve.io", "LLMInferenceServiceConfig"),
    ("argoproj.io", "WorkflowTemplate"),
    ("argoproj.io", "ClusterWorkflowTemplate"),
}
_STEPS = {("argoproj.io", "Workflow"), ("argoproj.io", "CronWorkflow")}
_KNATIVE = "autoscaling.knative.dev/"


class Scale(msgspec.Struct, frozen=True):
    """How many there are: `most` is None where nothing bounds them."""

    least: int
    most: int | None
    by: str | None = None
    """The autoscaler, where one moves them."""

    def times(self, number: int) -> Scale:
        """So many for each."""
        most = None if self.most is None else self.most * number
        return Scale(self.least * number, most, self.by)


def scale_of(pod: Pod, collection: Collection) -> Scale | str:
    """Pods of this kind that run at once; or why that cannot be told."""
    owner = pod.object
    key = owner.group, owner.kind
    if key in _TEMPLATES:
        return "a template: what is made of it counts"
    if key in _STEPS:
        return "its steps decide how many pods run at once"
    if key == ("apps", "DaemonSet"):
        return "a pod on each node"
    inside = pod.base[len(owner.base) :]
    if owner.is_a("ray.io", "RayCluster", "RayJob", "RayService", "RayCronJob"):
        ray = _ray(owner.value, inside)
        if ray is not None:
            return ray
    if owner.is_a("kubeflow.org", "PyTorchJob") and pod.role.name == "worker":
        elastic = mapping(owner.spec.get("elasticPolicy"))
        if "maxReplicas" in elastic:
            least = _number(elastic.get("minReplicas"), 1)
            return _between(least, elastic["maxReplicas"], "elasticPolicy")
    count, groups = pod.role.count, pod.role.groups
    if owner.is_a("batch", "Job", "CronJob") and count is not None:
        completions = at(owner.value, (*inside[:-2], "completions"))
        count = min(count, _number(completions, count))
    moved = _own(pod, inside) or _other(owner, collection)
    if moved is None and groups is not None:
        moved = Scale(_bounded(groups), _bounded(groups))
    if moved is None or count is None:
        return "nothing here says how many pods there are"
    return moved.times(_bounded(count))


def _ray(value: dict[str, Any], inside: tuple[str | int, ...]) -> Scale | None:
    """Workers of a Ray cluster that scales itself."""
    if "workerGroupSpecs" not in inside:
        return None
    cut = inside.index("workerGroupSpecs")
    if at(value, (*inside[:cut], "enableInTreeAutoscaling")) is not True:
        return None
    group = mapping(at(value, inside[: cut + 2]))
    found = _between(group.get("minReplicas", 0), group.get("maxReplicas"), "Ray's autoscaler")
    return found.times(_number(group.get("numOfHosts"), 1))


def _own(pod: Pod, inside: tuple[str | int, ...]) -> Scale | None:
    """What an object says of its own scaling."""
    owner = pod.object
    if owner.is_a("keda.sh", "ScaledJob"):
        most = owner.spec.get("maxReplicaCount", KEDA_MOST)
        return _between(owner.spec.get("minReplicaCount", 0), most, "KEDA")
    if owner.is_a("serving.knative.dev", "Service", "Configuration", "Revision"):
        least, most = (_annotation(pod, name) for name in ("min-scale", "max-scale"))
        # Its own way of writing no bound is 0.
        return Scale(least or 0, most or None, "Knative")
    if owner.is_a("serving.kserve.io", "InferenceService"):
        part = mapping(at(owner.value, inside[:2]))
        if "maxReplicas" in part:
            return _between(part.get("minReplicas", 1), part["maxReplicas"] or None, "KServe")
    if owner.is_a("apps.nvidia.com", "NIMService"):
        scale = mapping(owner.spec.get("scale"))
        hpa = mapping(scale.get("hpa"))
        if scale.get("enabled") is True and hpa:
            return _between(hpa.get("minReplicas", 1), hpa.get("maxReplicas"), "its own autoscaler")
    return None


def _other(owner: Object, collection: Collection) -> Scale | None:
    """What an autoscaler beside the object says: of several the first."""
    for one in scalers_of(owner, collection):
        least = one.object.spec.get("idleReplicaCount", one.least) if one.keda else one.least
        return _between(least, one.most, f"{one.object.kind} {one.object.name}")
    return None


def _annotation(pod: Pod, name: str) -> int | None:
    """Knative writes numbers as text, under one of two spellings."""
    other = name.replace("-scale", "Scale")
    value = pod.annotations.get(_KNATIVE + name, pod.annotations.get(_KNATIVE + other))
    return read_whole(value, INT32)


def _between(least: object, most: object, by: str) -> Scale:
    bottom = _number(least, 0)
    return Scale(bottom, None if most is None else max(_number(most, bottom), bottom), by)


def _number(value: object, default: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return _bounded(value)
    return default


def _bounded(number: int) -> int:
    return min(max(number, 0), INT32)
