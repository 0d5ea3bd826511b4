"""What a change comes to: pods restart, an apply is refused, data is lost."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from gpuspec.diff import ObjectChange
from tests.diff.sides import change, compared, deployment, job, said

POD: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "m", "image": "x"}]},
}
SELECTOR = {"matchLabels": {"a": "b"}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}  # fmt: skip
GRACE = {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}}
JOBSET = {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": POD}}}]}
LWS = {"leaderWorkerTemplate": {"size": 2, "workerTemplate": POD}}
LIKE_A_SERVER = {"metadata": POD["metadata"], "spec": {**POD["spec"], "dnsPolicy": "ClusterFirst"}}
TASKS = {"tasks": [{"name": "w", "replicas": 2, "template": POD}]}

OBJECTS: dict[str, dict[str, Any]] = {
    "Deployment": {"apiVersion": "apps/v1", "spec": {"selector": SELECTOR, "template": POD}},
    "StatefulSet": {"apiVersion": "apps/v1", "spec": {"selector": SELECTOR, "serviceName": "x", "template": POD}},
    "DaemonSet": {"apiVersion": "apps/v1", "spec": {"selector": SELECTOR, "template": POD}},
    "ReplicaSet": {"apiVersion": "apps/v1", "spec": {"selector": SELECTOR, "template": POD}},
    "Job": {"apiVersion": "batch/v1", "spec": {"completions": 2, "template": POD}},
    "Suspended": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"suspend": True, "template": POD}},
    "Indexed": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": POD}},
    "CronJob": {"apiVersion": "batch/v1", "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": POD}}}},
    "Pod": {"apiVersion": "v1", **POD},
    "Service": {"apiVersion": "v1", "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]}},
    "PersistentVolumeClaim": {"apiVersion": "v1", "spec": CLAIM},
    "PersistentVolume": {"apiVersion": "v1", "spec": {"capacity": {"storage": "1Gi"}, "nfs": {"server": "a", "path": "/"}}},
    "ConfigMap": {"apiVersion": "v1", "data": {"a": "b"}},
    "Fixed": {"apiVersion": "v1", "kind": "ConfigMap", "immutable": True, "data": {"a": "b"}},
    "Secret": {"apiVersion": "v1", "type": "Opaque", "data": {"a": "Yg=="}},
    "StorageClass": {"apiVersion": "storage.k8s.io/v1", "provisioner": "a/b", "reclaimPolicy": "Delete"},
    "PriorityClass": {"apiVersion": "scheduling.k8s.io/v1", "value": 1, "description": "x"},
    "RoleBinding": {"apiVersion": "rbac.authorization.k8s.io/v1", "roleRef": {"name": "x"}, "subjects": []},
    "ResourceClaimTemplate": {"apiVersion": "resource.k8s.io/v1", "spec": {"spec": {"devices": {}}}},
    "JobSet": {"apiVersion": "jobset.x-k8s.io/v1alpha2", "spec": JOBSET},
    "LeaderWorkerSet": {"apiVersion": "leaderworkerset.x-k8s.io/v1", "spec": LWS},
    "LocalQueue": {"apiVersion": "kueue.x-k8s.io/v1beta2", "spec": {"clusterQueue": "a", "stopPolicy": "None"}},
    "Topology": {"apiVersion": "kueue.x-k8s.io/v1beta2", "spec": {"levels": [{"nodeLabel": "rack"}]}},
    "VolcanoJob": {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "spec": TASKS},
    "TrainJob": {"apiVersion": "trainer.kubeflow.org/v1alpha1", "spec": {"runtimeRef": {"name": "torch"}, "suspend": False}},
    "InferenceService": {"apiVersion": "serving.kserve.io/v1beta1", "spec": {"predictor": {"minReplicas": 1, "containers": [{"name": "m", "image": "x"}]}}},
    "NIMService": {"apiVersion": "apps.nvidia.com/v1alpha1", "spec": {"replicas": 1, "image": {"tag": "1"}}},
    "RayCluster": {"apiVersion": "ray.io/v1", "spec": {"headGroupSpec": {"template": POD}}},
    "RayService": {"apiVersion": "ray.io/v1", "spec": {"serveConfigV2": "a", "rayClusterConfig": {"headGroupSpec": {"template": POD}}}},
}  # fmt: skip


def merged(base: Any, patch: Any) -> Any:
    """A JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    made = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        made[key] = merged(made.get(key), value)
    return made


def patched(name: str, patch: Any) -> ObjectChange:
    base = {"kind": name, "metadata": {"name": "one", "namespace": "n"}, **OBJECTS[name]}
    return change(json.dumps(base), json.dumps(merged(copy.deepcopy(base), patch)))


@pytest.mark.parametrize(
    ("name", "patch", "effect"),
    [
        ("Deployment", GRACE, "restart"),
        ("Deployment", {"spec": {"replicas": 3}}, "in place"),
        ("Deployment", {"metadata": {"labels": {"x": "y"}}}, "in place"),
        ("Deployment", {"spec": {"template": {"metadata": {"annotations": {"x": "y"}}}}}, "restart"),
        ("Deployment", {"spec": {"selector": {"matchLabels": {"c": "d"}}}}, "refused"),
        ("Deployment", {"spec": {"template": {"spec": {"dnsPolicy": "ClusterFirst"}}}}, "in place"),
        ("Deployment", {"spec": {"template": {"spec": {"dnsPolicy": "Default"}}}}, "restart"),
        ("StatefulSet", GRACE, "restart"),
        ("StatefulSet", {"spec": {"updateStrategy": {"type": "OnDelete"}, **GRACE["spec"]}}, "new pods"),
        ("StatefulSet", {"spec": {"serviceName": "y"}}, "refused"),
        ("StatefulSet", {"spec": {"podManagementPolicy": "Parallel"}}, "refused"),
        ("StatefulSet", {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": CLAIM}]}}, "refused"),
        ("StatefulSet", {"spec": {"minReadySeconds": 3}}, "in place"),
        ("DaemonSet", {"spec": {"selector": {"matchLabels": {"c": "d"}}}}, "refused"),
        ("ReplicaSet", GRACE, "new pods"),
        ("Job", GRACE, "refused"),
        ("Job", {"spec": {"parallelism": 2}}, "in place"),
        ("Job", {"spec": {"completions": 3}}, "refused"),
        ("Job", {"spec": {"backoffLimit": 3}}, "in place"),
        ("Job", {"spec": {"activeDeadlineSeconds": 60}}, "in place"),
        ("Job", {"spec": {"ttlSecondsAfterFinished": 60}}, "in place"),
        ("Job", {"spec": {"podReplacementPolicy": "Failed"}}, "in place"),
        ("Job", {"spec": {"podFailurePolicy": {"rules": []}}}, "refused"),
        ("Job", {"spec": {"managedBy": "a.b/c"}}, "refused"),
        ("Indexed", {"spec": {"completions": 3}}, "refused"),
        ("Indexed", {"spec": {"completions": 3, "parallelism": 3}}, "in place"),
        ("Indexed", {"spec": {"successPolicy": {"rules": []}}}, "refused"),
        ("Suspended", {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}, "new pods"),
        ("Suspended", {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}, "new pods"),
        ("Suspended", {"spec": {"template": {"spec": {"containers": [{"name": "m", "image": "y"}]}}}}, "refused"),
        ("Suspended", {"spec": {"suspend": False, "template": {"spec": {"nodeSelector": {"a": "b"}}}}}, "refused"),
        ("CronJob", {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"priority": 5}}}}}}, "next run"),
        ("CronJob", {"spec": {"jobTemplate": {"spec": {"backoffLimit": 5}}}}, "next run"),
        ("CronJob", {"spec": {"schedule": "@hourly"}}, "in place"),
        ("Pod", {"spec": {"containers": [{"name": "m", "image": "y"}]}}, "restart"),
        ("Pod", {"spec": {"containers": [{"name": "m", "image": "x", "resources": {"limits": {"cpu": 1}}}]}}, "refused"),
        ("Pod", {"spec": {"tolerations": [{"key": "a"}]}}, "in place"),
        ("Pod", {"spec": {"priorityClassName": "x"}}, "refused"),
        ("Service", {"spec": {"clusterIP": "None"}}, "refused"),
        ("Service", {"spec": {"clusterIP": None}}, "in place"),
        ("Service", {"spec": {"clusterIP": "None", "type": "ExternalName"}}, "in place"),
        ("Service", {"spec": {"type": "NodePort"}}, "in place"),
        ("Service", {"spec": {"ports": [{"port": 81}]}}, "in place"),
        ("PersistentVolumeClaim", {"spec": {"resources": {"requests": {"storage": "20Gi"}}}}, "in place"),
        ("PersistentVolumeClaim", {"spec": {"resources": {"requests": {"storage": "5Gi"}}}}, "refused"),
        ("PersistentVolumeClaim", {"spec": {"storageClassName": "slow"}}, "refused"),
        ("PersistentVolumeClaim", {"spec": {"volumeAttributesClassName": "gold"}}, "in place"),
        ("PersistentVolume", {"spec": {"nfs": {"server": "b"}}}, "refused"),
        ("PersistentVolume", {"spec": {"capacity": {"storage": "2Gi"}}}, "in place"),
        ("ConfigMap", {"data": {"a": "c"}}, "in place"),
        ("ConfigMap", {"immutable": True}, "in place"),
        ("Fixed", {"data": {"a": "c"}}, "refused"),
        ("Fixed", {"immutable": None}, "refused"),
        ("Fixed", {"metadata": {"labels": {"a": "c"}}}, "in place"),
        ("Secret", {"type": "x/y"}, "refused"),
        ("Secret", {"data": {"a": "Yw=="}}, "in place"),
        ("StorageClass", {"reclaimPolicy": "Retain"}, "refused"),
        ("StorageClass", {"allowVolumeExpansion": True}, "in place"),
        ("PriorityClass", {"value": 2}, "refused"),
        ("PriorityClass", {"description": "y"}, "in place"),
        ("RoleBinding", {"roleRef": {"name": "y"}}, "refused"),
        ("ResourceClaimTemplate", {"spec": {"spec": {"devices": {"requests": []}}}}, "refused"),
        ("JobSet", {"spec": {"replicatedJobs": [{"name": "w", "replicas": 2, "template": {"spec": {"template": POD}}}]}}, "refused"),
        ("JobSet", {"spec": {"suspend": True}}, "in place"),
        ("LeaderWorkerSet", {"spec": {"replicas": 3}}, "in place"),
        ("LeaderWorkerSet", {"spec": {"leaderWorkerTemplate": {"size": 4}}}, "restart"),
        ("LeaderWorkerSet", {"spec": {"leaderWorkerTemplate": {"subGroupPolicy": {"subGroupSize": 2}}}}, "refused"),
        ("LocalQueue", {"spec": {"clusterQueue": "b"}}, "refused"),
        ("LocalQueue", {"spec": {"stopPolicy": "Hold"}}, "in place"),
        ("Topology", {"spec": {"levels": [{"nodeLabel": "zone"}]}}, "refused"),
        ("VolcanoJob", {"spec": {"minAvailable": 1}}, "in place"),
        ("VolcanoJob", {"spec": {"queue": "x"}}, "refused"),
        ("TrainJob", {"spec": {"runtimeRef": {"name": "jax"}}}, "refused"),
        ("TrainJob", {"spec": {"suspend": True}}, "in place"),
        ("InferenceService", {"spec": {"predictor": {"minReplicas": 2}}}, "in place"),
        ("InferenceService", {"spec": {"predictor": {"containers": [{"name": "m", "image": "y"}]}}}, "restart"),
        ("NIMService", {"spec": {"replicas": 2}}, "in place"),
        ("NIMService", {"spec": {"image": {"tag": "2"}}}, "restart"),
        ("RayCluster", {"spec": {"headGroupSpec": {"template": {"spec": {"priority": 1}}}}}, "new pods"),
        ("RayCluster", {"spec": {"upgradeStrategy": {"type": "Recreate"}, "headGroupSpec": {"template": {"spec": {"priority": 1}}}}}, "restart"),
        ("RayService", {"spec": {"upgradeStrategy": {"type": "None"}, "rayClusterConfig": {"headGroupSpec": {"template": {"spec": {"priority": 1}}}}}}, "new pods"),
        ("RayService", {"spec": {"rayClusterConfig": {"headGroupSpec": {"template": {"spec": {"priority": 1}}}}}}, "restart"),
        ("RayService", {"spec": {"serveConfigV2": "b"}}, "in place"),
        # What is filled in anyway.
        ("Deployment", {"spec": {"template": {"spec": {"restartPolicy": "Always"}}}}, "in place"),
        ("StatefulSet", {"spec": {"podManagementPolicy": "OrderedReady"}}, "in place"),
        ("Job", {"spec": {"completionMode": "NonIndexed"}}, "in place"),
        ("Job", {"spec": {"completionMode": "Indexed"}}, "refused"),
        ("Job", {"spec": {"template": {"spec": {"restartPolicy": "Always"}}}}, "refused"),
        ("Suspended", {"spec": {"completions": 1, "parallelism": 1}}, "in place"),
        ("Suspended", {"spec": {"completions": 2, "parallelism": 1}}, "refused"),
        ("PersistentVolumeClaim", {"spec": {"volumeMode": "Filesystem"}}, "in place"),
        ("PersistentVolumeClaim", {"spec": {"volumeMode": "Block"}}, "refused"),
        ("StorageClass", {"volumeBindingMode": "Immediate"}, "in place"),
        ("StorageClass", {"volumeBindingMode": "WaitForFirstConsumer"}, "refused"),
        ("PriorityClass", {"preemptionPolicy": "PreemptLowerPriority"}, "in place"),
        ("PriorityClass", {"preemptionPolicy": "Never"}, "refused"),
        ("RoleBinding", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io"}}, "in place"),
        ("JobSet", {"spec": {"network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True}}}, "in place"),
        ("JobSet", {"spec": {"network": {"enableDNSHostnames": True, "subdomain": "x"}}}, "refused"),
        ("JobSet", {"spec": {"successPolicy": {"operator": "All"}, "startupPolicy": {"startupPolicyOrder": "AnyOrder"}}}, "in place"),
        ("JobSet", {"spec": {"replicatedJobs": [{"name": "w", "replicas": 1, "template": {"spec": {"completionMode": "Indexed", "template": POD}}}]}}, "in place"),
        ("JobSet", {"spec": {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": LIKE_A_SERVER}}}]}}, "refused"),
        ("LeaderWorkerSet", {"spec": {"leaderWorkerTemplate": {"restartPolicy": "RecreateGroupOnPodRestart"}}}, "in place"),
        ("LeaderWorkerSet", {"spec": {"leaderWorkerTemplate": {"restartPolicy": "None"}}}, "restart"),
        ("LeaderWorkerSet", {"spec": {"leaderWorkerTemplate": {"workerTemplate": LIKE_A_SERVER}}}, "restart"),
        ("VolcanoJob", {"spec": {"queue": "default", "maxRetry": 3}}, "in place"),
        ("TrainJob", {"spec": {"runtimeRef": {"kind": "ClusterTrainingRuntime", "apiGroup": "trainer.kubeflow.org"}}}, "in place"),
        ("TrainJob", {"spec": {"runtimeRef": {"kind": "TrainingRuntime"}}}, "refused"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else value,
)  # fmt: skip
def test_what_a_change_comes_to(name: str, patch: Any, effect: str) -> None:
    found = patched(name, patch)
    assert found.effect == effect
    level = {"refused": "breaking", "restart": "restart"}.get(effect, "any")
    assert found.level == level


def test_a_refusal_says_which_field_and_what_to_do() -> None:
    assert said(patched("Job", GRACE)) == [
        "! the API server refuses the apply: spec.template cannot change; give the Job a new name, or delete"
        " it first"
    ]
    assert said(patched("StatefulSet", {"spec": {"serviceName": "y"}})) == [
        "! the API server refuses the apply: spec.serviceName cannot change; `kubectl delete"
        " --cascade=orphan` deletes it and keeps its pods and volumes"
    ]


def test_recreate_says_that_all_pods_end_at_once() -> None:
    old, new = (
        deployment(spec=", strategy: {type: Recreate}", container=more)
        for more in ("", ", args: [a]")
    )
    assert said(change(old, new)) == ["restarts the pods, all at once (`Recreate`)"]


# ------------------------------------------------------------------------- come, gone, renamed


def test_a_run_under_a_new_name_is_the_same_job() -> None:
    found = change(job("train-2026-06-01"), job("train-2026-06-08", "example/train:2"))
    assert (found.change, found.effect, found.level) == ("renamed", "new run", "restart")
    assert found.was is not None
    assert (found.was.name, found.object.name) == ("train-2026-06-01", "train-2026-06-08")
    assert said(found) == [
        "image of main: tag 1 → 2",
        "a new run, started beside train-2026-06-01, which stays until it is pruned",
    ]


RUNTIME = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {{name: NAME, namespace: ml}}
spec: {{template: {{spec: {json.dumps(JOBSET)}}}}}
"""


def test_a_runtime_that_goes_or_has_a_new_name_ends_no_pods() -> None:
    """Pods that were made of it run on: it is a template."""
    first, second = (RUNTIME.replace("NAME", f"train-{each}") for each in ("9f1c2b7a", "0b3d5e6f"))
    renamed = change(first, second)
    assert (renamed.change, renamed.level) == ("renamed", "any")
    assert said(renamed) == ["recreated; train-9f1c2b7a stays until it is pruned"]
    other = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n"
    (gone,) = (one for one in compared(first, other).changes if one.change == "removed")
    assert said(gone) == []


def test_a_digest_at_the_end_of_a_name_is_no_other_object() -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {a: VALUE}\n"
    old = config.replace("NAME", "app-k5g8d6c7mt").replace("VALUE", "one")
    new = config.replace("NAME", "app-2h6f9bk4tc").replace("VALUE", "one")
    assert change(old, new).change == "renamed"


def test_jobs_that_have_nothing_in_common_are_two() -> None:
    other = job("sweep-1", "other/image:9").replace("python, -m, train", "bash, -c, run")
    other = other.replace("nvidia.com/gpu: 8", "cpu: 3").replace("Never", "OnFailure")
    kinds = [one.change for one in compared(job("train-1"), other).changes]
    assert kinds == ["added", "removed"]


def test_empty_objects_of_two_names_are_two() -> None:
    account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: NAME}\n"
    found = compared(account.replace("NAME", "a"), account.replace("NAME", "b"))
    assert [one.change for one in found.changes] == ["added", "removed"]


def test_another_kind_carries_the_workload() -> None:
    lws = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n"
        "metadata: {name: chat, namespace: serving}\nspec: {leaderWorkerTemplate: {size: 2, workerTemplate: "
        '{spec: {containers: [{name: main, image: "example/chat:2"}]}}}}\n'
    )
    found = change(deployment(), lws)
    assert (found.change, found.effect, found.level) == ("retargeted", "recreated", "breaking")
    assert [str(found.was), str(found.object)] == [
        "Deployment serving/chat",
        "LeaderWorkerSet serving/chat",
    ]
    assert said(found) == [
        "pods 1 → 2",
        "image of main: tag 1 → 2",
        "! runs as a LeaderWorkerSet, no longer as a Deployment: recreated, and both hold their"
        " requests until Deployment serving/chat is pruned",
    ]
    assert [one.name for one in found.fields] == ["image"]


CLAIM_TEXT = f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: NAME}}\nspec: {json.dumps(CLAIM)}\n"  # fmt: skip
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"


@pytest.mark.parametrize(
    ("gone", "effect", "text"),
    [
        (CLAIM_TEXT, "data lost", "! its data is lost when it is pruned, unless its volume is retained"),
        (CLAIM_TEXT.replace("NAME}", "x, annotations: {helm.sh/resource-policy: keep}}"), "in place",
         "stays in the cluster: helm.sh/resource-policy: keep"),
        ("apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n", "data lost", "! everything in it is deleted with it"),
        (deployment(container=", resources: {limits: {nvidia.com/gpu: 4}}", spec=", replicas: 2"), "restart",
         "ends its pods: 8 GPUs in 2 pods"),
        (json.dumps({"kind": "StatefulSet", "metadata": {"name": "x"}, **OBJECTS["StatefulSet"]}), "restart",
         "ends its pods; its volumes stay"),
        (OTHER.replace("other", "gone"), "in place", None),
    ],
)  # fmt: skip
def test_what_is_removed(gone: str, effect: str, text: str | None) -> None:
    found = change(f"{gone}\n---\n{OTHER}", OTHER)
    assert (found.change, found.effect) == ("removed", effect)
    assert said(found) == ([text] if text else [])


def test_a_claim_under_a_new_name_is_empty() -> None:
    found = change(CLAIM_TEXT.replace("NAME", "weights"), CLAIM_TEXT.replace("NAME", "models"))
    assert (found.change, found.effect) == ("renamed", "data lost")
    assert said(found) == ["! a new, empty volume; what is on weights is lost when that is pruned"]


def test_objects_pair_by_their_file_first() -> None:
    """Overlays hold the same objects, each in its folder; see test_sides for folders."""
    found = compared(OTHER + "---\n" + OTHER, OTHER + "---\n" + OTHER)
    assert found.alike == 2


def test_a_namespace_that_one_side_leaves_open_is_any() -> None:
    named = OTHER.replace("other}", "other, namespace: x}")
    found = change(OTHER, named)
    assert [field.path for field in found.fields] == ["metadata.namespace"]
    two = compared(OTHER.replace("other}", "other, namespace: y}"), named)
    assert [one.change for one in two.changes] == ["added", "removed"]


def test_an_api_that_moved_is_the_same_object() -> None:
    old = deployment().replace("apps/v1", "extensions/v1beta1")
    assert [one.path for one in change(old, deployment()).fields] == ["apiVersion"]
