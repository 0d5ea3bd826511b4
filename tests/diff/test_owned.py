"""Fields that a controller sets, on kinds whose field is not `spec.replicas` of a Deployment."""

import pytest

from tests.diff.sides import compared, deployment, said

WORKERS = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:{policy}
  pytorchReplicaSpecs:
    Worker:{replicas}
      template: {{spec: {{containers: [{{name: pytorch, image: "x/y:1"}}]}}}}
"""
SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: train, namespace: ml}
spec: {maxReplicas: 4, scaleTargetRef: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: train}}
"""
CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: shared, namespace: ml}}
spec:
  enableInTreeAutoscaling: {scales}
  headGroupSpec: {{template: {{spec: {{containers: [{{name: head, image: "x/y:1"}}]}}}}}}
  workerGroupSpecs:
    - groupName: gpu
      minReplicas: 0
      maxReplicas: 9{replicas}
      template: {{spec: {{containers: [{{name: worker, image: "x/y:1"}}]}}}}
"""
MODEL = """\
apiVersion: kubeai.org/v1
kind: Model
metadata: {{name: chat, namespace: ml}}
spec: {{engine: VLLM, url: "hf://a/b", replicas: {replicas}{more}}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: shards, namespace: ml{more}}}
spec: {{parallelism: {parallelism}, completions: 8, template: {{spec: {{containers: [{{name: a, image: "x/y:1"}}]}}}}}}
"""
NIM = """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata: {{name: chat, namespace: ml}}
spec: {{image: {{repository: x/y, tag: "1"}}, replicas: {replicas}, scale: {{enabled: true, hpa: {{maxReplicas: 4}}}}}}
"""


def workers(replicas: int | None, policy: str = "") -> str:
    return WORKERS.format(
        policy=policy, replicas="" if replicas is None else f"\n      replicas: {replicas}"
    )


def cluster(replicas: int | None, scales: str = "true") -> str:
    said = "" if replicas is None else f"\n      replicas: {replicas}"
    return CLUSTER.format(scales=scales, replicas=said)


def told(old: str, new: str, kind: str) -> list[str]:
    (found,) = (one for one in compared(old, new).changes if one.object.kind == kind)
    return [one for one in said(found) if "each apply" in one or "left to" in one]


ELASTIC = "\n  elasticPolicy: {maxReplicas: 4, metrics: [{type: Resource}]}"
QUEUED = ", labels: {kueue.x-k8s.io/queue-name: research}, annotations: {kueue.x-k8s.io/job-min-parallelism: '2'}"


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("PyTorchJob", workers(2) + SCALER, workers(3) + SCALER,
         ["! `replicas` is written, but HorizontalPodAutoscaler train scales it: each apply resets it"]),
        ("PyTorchJob", workers(2) + SCALER, workers(None) + SCALER,
         ["! `replicas` is left to HorizontalPodAutoscaler train: a client-side apply sets it to 1 once"]),
        ("PyTorchJob", workers(2), workers(3), []),
        ("PyTorchJob", workers(2, ELASTIC), workers(3, ELASTIC),
         ["! `replicas` is written, but the autoscaler of its `elasticPolicy` scales it: each apply resets it"]),
        ("RayCluster", cluster(2), cluster(3),
         ["! `replicas` is written, but Ray's autoscaler scales it: each apply resets it"]),
        ("RayCluster", cluster(2), cluster(None),
         ["! `replicas` is left out, but each apply still resets it: it replaces the whole list"]),
        ("RayCluster", cluster(2, "false"), cluster(3, "false"), []),
        ("RayCluster", cluster(2, "false"), cluster(2),
         ["! `replicas` is written, but Ray's autoscaler scales it: each apply resets it"]),
        ("Model", MODEL.format(replicas=1, more=""), MODEL.format(replicas=2, more=""),
         ["! `replicas` is written, but KubeAI scales it: each apply resets it"]),
        ("Model", MODEL.format(replicas=1, more=", autoscalingDisabled: true"),
         MODEL.format(replicas=2, more=", autoscalingDisabled: true"), []),
        ("Job", JOB.format(parallelism=4, more=QUEUED), JOB.format(parallelism=8, more=QUEUED),
         ["! `parallelism` is written, but Kueue sets it: each apply resets it"]),
        ("Job", JOB.format(parallelism=4, more=""), JOB.format(parallelism=8, more=""), []),
        # Its operator gives the autoscaler another object to move.
        ("NIMService", NIM.format(replicas=1), NIM.format(replicas=2), []),
        ("Deployment", deployment(), deployment(spec=", replicas: 2"), []),
    ],
)  # fmt: skip
def test_who_has_the_last_word(kind: str, old: str, new: str, expected: list[str]) -> None:
    assert told(old, new, kind) == expected
