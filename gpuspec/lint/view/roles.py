"""What part a pod plays in its object: how many there are, whether they start together, how long
they live. And the containers that some kinds keep outside of `containers`.

Sources: the CRDs under `schemas/crds`; the operators' own documentation of their defaults.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gpuspec.lint.view.containers import Container
from gpuspec.lint.view.objects import at, mapping, whole
from gpuspec.lint.view.pods import Pod

Life = Literal["service", "finite", "unknown"]

_SERVICES = {
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("apps", "ReplicaSet"),
    ("apps", "DaemonSet"),
    ("", "ReplicationController"),
    ("argoproj.io", "Rollout"),
    ("serving.knative.dev", "Service"),
    ("serving.knative.dev", "Configuration"),
    ("serving.knative.dev", "Revision"),
    ("serving.kserve.io", "InferenceService"),
    ("serving.kserve.io", "LLMInferenceService"),
    ("serving.kserve.io", "ServingRuntime"),
    ("serving.kserve.io", "ClusterServingRuntime"),
    ("apps.nvidia.com", "NIMService"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    ("ray.io", "RayService"),
}
_FINITE = {
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("jobset.x-k8s.io", "JobSet"),
    ("trainer.kubeflow.org", "TrainJob"),
    ("kubeflow.org", "PyTorchJob"),
    ("kubeflow.org", "TFJob"),
    ("kubeflow.org", "JAXJob"),
    ("kubeflow.org", "XGBoostJob"),
    ("kubeflow.org", "PaddleJob"),
    ("kubeflow.org", "MPIJob"),
    ("batch.volcano.sh", "Job"),
    ("batch.volcano.sh", "CronJob"),
    ("ray.io", "RayJob"),
    ("ray.io", "RayCronJob"),
    ("argoproj.io", "Workflow"),
    ("argoproj.io", "CronWorkflow"),
    ("argoproj.io", "WorkflowTemplate"),
    ("argoproj.io", "ClusterWorkflowTemplate"),
    ("keda.sh", "ScaledJob"),
    ("trainer.kubeflow.org", "TrainingRuntime"),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
}


class Role(msgspec.Struct, frozen=True):
    """The part that one kind of pod plays in its object."""

    name: str
    """`pod` where there is only one kind of pod; else `leader`, `worker`, `head`, `launcher`, or the
    name that the object gives it (a JobSet's job, a Volcano task)."""
    count: int | None
    """Pods of this kind in one group, as the object says or its kind defaults to; None where nothing
    tells (an autoscaler owns it)."""
    groups: int | None
    """Groups like this: an LWS has several, a Deployment's pods are a group each."""
    life: Life
    gang: bool
    """The group's pods work together: one alone is of no use."""


def role_of(pod: Pod) -> Role:
    """The part that a pod plays in its object."""
    owner = pod.object
    key = owner.group, owner.kind
    life: Life = "service" if key in _SERVICES else "finite" if key in _FINITE else "unknown"
    inside = pod.base[len(owner.base) :]
    finder = _FINDERS.get(key)
    if finder is not None:
        name, count, groups, gang = finder(owner.value, inside)
        return Role(name, count, groups, life, gang)
    if life == "service":
        return Role("pod", 1, whole(owner.spec.get("replicas"), 1), life, gang=False)
    return Role("pod", 1, 1, life, gang=False)


_Found = tuple[str, int | None, int | None, bool]


def _job(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    spec = mapping(at(value, inside[:-2]))
    parallelism = whole(spec.get("parallelism"), 1)
    indexed = spec.get("completionMode") == "Indexed"
    # Shards are independent; workers that meet have a name for each other.
    meets = indexed and bool(mapping(at(value, inside)).get("subdomain"))
    return "pod", parallelism, 1, bool(meets and (parallelism or 0) > 1)


def _jobset(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    one = mapping(at(value, inside[: inside.index("replicatedJobs") + 2]))
    spec = mapping(at(one, ("template", "spec")))
    replicas, each = whole(one.get("replicas"), 1), whole(spec.get("parallelism"), 1)
    count = None if replicas is None or each is None else replicas * each
    return _text(one.get("name"), "pod"), count, 1, True


def _lws(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    spec = mapping(value.get("spec"))
    groups = whole(spec.get("replicas"), 1)
    template = mapping(spec.get("leaderWorkerTemplate"))
    size = whole(template.get("size"), 1)
    if "leaderTemplate" in inside:
        return "leader", 1, groups, (size or 1) > 1
    # Without a leader's template the leader is made from the workers'.
    own = 1 if "leaderTemplate" in template else 0
    return "worker", None if size is None else size - own, groups, (size or 1) > 1


def _kubeflow(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    name = str(inside[2])
    one = mapping(at(value, inside[:3]))
    return name.lower(), whole(one.get("replicas"), 1), 1, True


def _volcano(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    one = mapping(at(value, inside[: inside.index("tasks") + 2]))
    return _text(one.get("name"), "task"), whole(one.get("replicas"), 1), 1, True


def _ray(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    if "headGroupSpec" in inside:
        return "head", 1, 1, True
    if "workerGroupSpecs" not in inside:
        return "submitter", 1, 1, False
    one = mapping(at(value, inside[: inside.index("workerGroupSpecs") + 2]))
    hosts = whole(one.get("numOfHosts"), 1)
    count = whole(one.get("replicas", one.get("minReplicas")), 1)
    total = None if hosts is None or count is None else hosts * count
    return f"worker {_text(one.get('groupName'), '')}".strip(), total, 1, True


def _kserve(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    groups = whole(at(value, ("spec", "predictor", "minReplicas")), 1)
    if inside[-1] == "workerSpec":
        stages = whole(at(value, (*inside, "pipelineParallelSize")), 2)
        return "worker", None if stages is None else stages - 1, groups, True
    several = "workerSpec" in mapping(at(value, inside))
    return str(inside[-1]), 1, groups, several


def _llm(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    spec = mapping(value.get("spec"))
    groups = whole(spec.get("replicas"), 1)
    if inside[-1] == "worker":
        return "worker", None, groups, True
    return "leader" if "worker" in spec else "pod", 1, groups, "worker" in spec


def _trainjob(value: dict[str, Any], inside: tuple[str | int, ...]) -> _Found:
    nodes = whole(at(value, ("spec", "trainer", "numNodes")), None)
    return "trainer" if inside == ("spec", "trainer") else "patch", nodes, 1, True


_FINDERS = {
    ("batch", "Job"): _job,
    ("batch", "CronJob"): _job,
    ("jobset.x-k8s.io", "JobSet"): _jobset,
    ("trainer.kubeflow.org", "TrainingRuntime"): _jobset,
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"): _jobset,
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): _lws,
    ("kubeflow.org", "PyTorchJob"): _kubeflow,
    ("kubeflow.org", "TFJob"): _kubeflow,
    ("kubeflow.org", "JAXJob"): _kubeflow,
    ("kubeflow.org", "XGBoostJob"): _kubeflow,
    ("kubeflow.org", "PaddleJob"): _kubeflow,
    ("kubeflow.org", "MPIJob"): _kubeflow,
    ("batch.volcano.sh", "Job"): _volcano,
    ("batch.volcano.sh", "CronJob"): _volcano,
    ("ray.io", "RayCluster"): _ray,
    ("ray.io", "RayJob"): _ray,
    ("ray.io", "RayService"): _ray,
    ("ray.io", "RayCronJob"): _ray,
    ("serving.kserve.io", "InferenceService"): _kserve,
    ("serving.kserve.io", "LLMInferenceService"): _llm,
    ("trainer.kubeflow.org", "TrainJob"): _trainjob,
}


def loose_containers(pod: Pod) -> tuple[Container, ...]:
    """Containers outside of `containers`: KServe's `model`, Argo's `container`, a flat spec."""
    owner = pod.object
    if owner.is_a("apps.nvidia.com", "NIMService"):
        return (Container(pod.spec, pod.base, "main"),)
    if owner.is_a("trainer.kubeflow.org", "TrainJob") and pod.base[-1] == "trainer":
        return (Container(pod.spec, pod.base, "main", "resourcesPerNode"),)
    if owner.group == "argoproj.io":
        names = [name for name in ("container", "script") if isinstance(pod.spec.get(name), dict)]
    elif owner.group == "serving.kserve.io":
        # The frameworks of old (`predictor.pytorch`, `predictor.sklearn` …) are containers too.
        names = [
            name
            for name, value in pod.spec.items()
            if name in _KSERVE_MODELS and isinstance(value, dict)
        ]
    else:
        names = []
    return tuple(Container(pod.spec[name], pod.path(name), "main") for name in names)


_KSERVE_MODELS = {
    "model",
    "huggingface",
    "pytorch",
    "tensorflow",
    "triton",
    "onnx",
    "sklearn",
    "xgboost",
    "lightgbm",
    "pmml",
    "paddle",
}


def _text(value: object, default: str) -> str:
    return value if isinstance(value, str) and value else default
