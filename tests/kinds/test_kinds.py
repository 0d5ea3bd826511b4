"""Kinds: identity, order, and where the pods are."""

import pytest

from gpuspec.kinds import Identity, apply_order, identity, kind_of, pod_paths
from gpuspec.manifests import Path, parse_path
from gpuspec.validation.custom import custom_kinds


def an(kind: str, version: str = "v1", name: str = "x", **fields: object) -> dict[str, object]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **fields}


POD = {"containers": [{"name": "main"}]}
TEMPLATE = {"metadata": {"labels": {}}, "spec": POD}


def at(path: Path, value: object) -> object:
    """A value nested so that a path leads to it."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


@pytest.mark.parametrize(
    ("version", "kind", "template"),
    [
        ("v1", "Pod", ""),
        ("v1", "PodTemplate", "template"),
        ("v1", "ReplicationController", "spec.template"),
        ("apps/v1", "Deployment", "spec.template"),
        ("apps/v1", "StatefulSet", "spec.template"),
        ("apps/v1", "DaemonSet", "spec.template"),
        ("apps/v1", "ReplicaSet", "spec.template"),
        ("batch/v1", "Job", "spec.template"),
        ("batch/v1", "CronJob", "spec.jobTemplate.spec.template"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", "spec.replicatedJobs[0].template.spec.template"),
        (
            "leaderworkerset.x-k8s.io/v1",
            "LeaderWorkerSet",
            "spec.leaderWorkerTemplate.workerTemplate",
        ),
        (
            "trainer.kubeflow.org/v1alpha1",
            "ClusterTrainingRuntime",
            "spec.template.spec.replicatedJobs[0].template.spec.template",
        ),
        ("kubeflow.org/v1", "PyTorchJob", "spec.pytorchReplicaSpecs.Worker.template"),
        ("kubeflow.org/v2beta1", "MPIJob", "spec.mpiReplicaSpecs.Launcher.template"),
        ("batch.volcano.sh/v1alpha1", "Job", "spec.tasks[0].template"),
        ("ray.io/v1", "RayCluster", "spec.workerGroupSpecs[0].template"),
        ("ray.io/v1", "RayJob", "spec.rayClusterSpec.headGroupSpec.template"),
        ("ray.io/v1", "RayService", "spec.rayClusterConfig.headGroupSpec.template"),
        ("keda.sh/v1alpha1", "ScaledJob", "spec.jobTargetRef.template"),
        ("argoproj.io/v1alpha1", "Rollout", "spec.template"),
        ("serving.knative.dev/v1", "Service", "spec.template"),
    ],
)
def test_pods_with_metadata(version: str, kind: str, template: str) -> None:
    path = parse_path(template)
    inner = at(path, TEMPLATE)
    assert isinstance(inner, dict)
    (pod,) = pod_paths(an(kind, version) | inner)
    assert (pod.spec, pod.metadata) == ((*path, "spec"), (*path, "metadata"))


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        ("serving.kserve.io/v1alpha2", "LLMInferenceService", "spec.template"),
        ("serving.kserve.io/v1alpha1", "ServingRuntime", "spec"),
    ],
)
def test_pods_without_metadata(version: str, kind: str, spec: str) -> None:
    inner = at(parse_path(spec), POD)
    assert isinstance(inner, dict)
    (pod,) = pod_paths(an(kind, version) | inner)
    assert (pod.spec, pod.metadata) == (parse_path(spec), None)


def test_a_predictor_has_the_labels_of_its_pods_itself() -> None:
    spec = {"predictor": {"labels": {"app": "chat"}, "containers": [{"name": "kserve-container"}]}}
    made = an("InferenceService", "serving.kserve.io/v1beta1") | {"spec": spec}
    (pod,) = pod_paths(made)
    assert pod.spec == pod.metadata == ("spec", "predictor")


def test_pods_of_argo_workflows() -> None:
    templates = [{"name": "flow", "steps": []}, {"name": "work", "container": {}}]
    (pod,) = pod_paths(an("Workflow", "argoproj.io/v1alpha1", spec={"templates": templates}))
    assert pod.spec == ("spec", "templates", 1)
    assert pod.metadata == ("spec", "templates", 1, "metadata")


def test_pods_in_lists_and_wrappers() -> None:
    job = an("Job", "batch/v1", spec={"template": TEMPLATE})
    wrapper = an(
        "AppWrapper", "workload.codeflare.dev/v1beta2", spec={"components": [{"template": job}]}
    )
    listed = {"apiVersion": "v1", "kind": "List", "items": [an("ConfigMap"), wrapper]}
    (pod,) = pod_paths(listed)
    assert pod.spec == parse_path("items[1].spec.components[0].template.spec.template.spec")
    of_one_kind = {"apiVersion": "batch/v1", "kind": "JobList", "items": [job, job]}
    assert [pod.spec[:2] for pod in pod_paths(of_one_kind)] == [("items", 0), ("items", 1)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [],
        {},
        {"kind": 1, "apiVersion": 2},
        an("ConfigMap"),
        an("Unknown", "example.com/v1", spec={"template": TEMPLATE}),
        an("Deployment", "apps/v1", spec="text"),
        an("Deployment", "apps/v1", spec={"template": {"spec": None}}),
        an("Deployment", "other.example/v1", spec={"template": TEMPLATE}),
    ],
)
def test_no_pods(value: object) -> None:
    assert pod_paths(value) == []


def test_order_of_application() -> None:
    objects = [
        an("Unknown", "example.com/v1"),
        an("ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1"),
        an("HorizontalPodAutoscaler", "autoscaling/v2"),
        an("Deployment", "apps/v1", name="second"),
        an("Deployment", "apps/v1", name="first"),
        an("LocalQueue", "kueue.x-k8s.io/v1beta2"),
        an("ClusterQueue", "kueue.x-k8s.io/v1beta2"),
        an("ResourceFlavor", "kueue.x-k8s.io/v1beta2"),
        an("PodDisruptionBudget", "policy/v1"),
        an("Service"),
        an("NetworkPolicy", "networking.k8s.io/v1"),
        an("PersistentVolumeClaim"),
        an("ConfigMap"),
        an("Secret"),
        an("ResourceQuota"),
        an("ServiceAccount"),
        an("PriorityClass", "scheduling.k8s.io/v1"),
        an("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
        an("Namespace"),
    ]
    ordered = apply_order(objects)
    assert [obj["kind"] for obj in ordered[:16]] == [
        *(
            "Namespace",
            "CustomResourceDefinition",
            "PriorityClass",
            "ServiceAccount",
            "ResourceQuota",
        ),
        *("Secret", "ConfigMap", "PersistentVolumeClaim", "NetworkPolicy", "Service"),
        *(
            "PodDisruptionBudget",
            "ResourceFlavor",
            "ClusterQueue",
            "LocalQueue",
            "Deployment",
            "Deployment",
        ),
    ]
    assert [obj["kind"] for obj in ordered[16:]] == [
        *("HorizontalPodAutoscaler", "ValidatingWebhookConfiguration", "Unknown"),
    ]
    assert [identity(obj).name for obj in ordered[14:16]] == ["second", "first"], (
        "as they were given"
    )
    assert apply_order(ordered) == ordered


def test_identity() -> None:
    deployment = an("Deployment", "apps/v1", name="chat")
    deployment["metadata"] = {"name": "chat", "namespace": "serving"}
    assert identity(deployment) == Identity("apps", "Deployment", "serving", "chat")
    assert str(identity(deployment)) == "Deployment serving/chat"
    assert str(identity(an("Service"))) == "Service x"
    assert str(identity(an("Job", "batch.volcano.sh/v1alpha1"))) == "Job.batch.volcano.sh x"
    assert str(identity(an("NetworkPolicy", "networking.k8s.io/v1"))) == "NetworkPolicy x"
    assert identity(an("Job", "batch/v1")) == identity(an("Job", "batch/v1beta1"))
    assert identity(an("Job", "batch/v1", metadata={"generateName": "x-"})).name == "x-"
    stray = an("Namespace", metadata={"name": "x", "namespace": "y"})
    assert identity(stray).namespace == "", "what is cluster-wide has no namespace"
    assert Identity("", "A", "", "b") < Identity("", "B", "", "a")


@pytest.mark.parametrize(
    "obj",
    [
        {},
        {"apiVersion": "v1", "kind": "Pod"},
        {"apiVersion": 1, "kind": "Pod", "metadata": {"name": "x"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": 1}},
    ],
)
def test_what_has_no_identity(obj: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no|not"):
        identity(obj)


def test_the_table_agrees_with_the_definitions() -> None:
    """As the shipped schemas have it from the projects' CustomResourceDefinitions."""
    compared = 0
    for known in custom_kinds():
        kind = kind_of(known.api_version.partition("/")[0], known.kind)
        if kind is not None:
            compared += 1
            assert kind.namespaced == known.namespaced, kind
    assert compared > 40
