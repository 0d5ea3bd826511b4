"""GPU857: which budgets are reckoned by a scale, and of whose pods."""

import pytest

from tests.lint.pages import raised

BUDGET = """
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: it, namespace: {namespace}}}
spec: {{{said}, selector: {{matchLabels: {{app: it}}}}}}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: it, namespace: ml}
spec:
  template:
    metadata: {labels: {app: it}}
    spec: {containers: [{name: a, image: b:1, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
DEPLOYMENT = JOB.replace("batch/v1", "apps/v1").replace("kind: Job", "kind: Deployment")


def said(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU857"]


@pytest.mark.parametrize("field", ["maxUnavailable: 1", "maxUnavailable: 30%", "minAvailable: 50%"])
def test_what_is_reckoned_by_a_scale_is_never_allowed(field: str) -> None:
    (text,) = said(JOB + BUDGET.format(namespace="ml", said=field))
    assert "a Job, which has no scale subresource" in text


@pytest.mark.parametrize("field", ["minAvailable: 1", "maxUnavailable: 0", "maxUnavailable: 0%"])
def test_what_is_counted_or_lets_none_go_is_not_spoken_of(field: str) -> None:
    assert not said(JOB + BUDGET.format(namespace="ml", said=field))


@pytest.mark.parametrize(
    ("version", "kind", "where", "owner"),
    [
        ("batch/v1", "CronJob", "jobTemplate: {{spec: {{template: {}}}}}", "a Job"),
        ("batch.volcano.sh/v1alpha1", "Job", "tasks: [{{name: a, template: {}}}]", "Volcano's"),
        (
            "kubeflow.org/v2beta1",
            "MPIJob",
            "mpiReplicaSpecs: {{Worker: {{template: {}}}}}",
            "an MPIJob",
        ),
        ("kubeflow.org/v1", "TFJob", "tfReplicaSpecs: {{Worker: {{template: {}}}}}", "a TFJob"),
        ("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs: {{Worker: {{template: {}}}}}", ""),
    ],
)
def test_kinds_whose_pods_are_controlled_by_what_has_no_scale(
    version: str, kind: str, where: str, owner: str
) -> None:
    pod = (
        "{metadata: {labels: {app: it}}, "
        "spec: {containers: [{name: a, image: b:1, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
    )
    one = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: it, namespace: ml}}\nspec:\n  "
    texts = said(one + where.format(pod) + BUDGET.format(namespace="ml", said="maxUnavailable: 1"))
    assert [owner in each for each in texts] == ([True] if owner else [])


def test_a_deployment_has_a_scale() -> None:
    assert not said(DEPLOYMENT + BUDGET.format(namespace="ml", said="maxUnavailable: 1"))


def test_pods_without_accelerators_are_left_alone() -> None:
    plain = JOB.replace("nvidia.com/gpu: 1", "memory: 1Gi")
    assert not said(plain + BUDGET.format(namespace="ml", said="maxUnavailable: 1"))


def test_a_budget_that_lets_none_go_is_not_mended_into_one_that_cannot_be_counted() -> None:
    cluster = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: it, namespace: ml}
spec:
  headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: a, image: b:1}]}}}
  workerGroupSpecs:
    - groupName: w
      replicas: 1
      minReplicas: 1
      maxReplicas: 1
      rayStartParams: {}
      template:
        metadata: {labels: {app: it}}
        spec: {containers: [{name: a, image: b:1, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
    text = cluster + BUDGET.format(namespace="ml", said="minAvailable: 1")
    (found,) = (one.found for one in raised(text) if one.rule.code == "GPU516")
    assert found.fix is None


def test_pods_of_a_daemon_set_need_no_gpus() -> None:
    daemons = DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet")
    plain = daemons.replace(", resources: {limits: {nvidia.com/gpu: 1}}", "")
    (text,) = said(plain + BUDGET.format(namespace="ml", said="maxUnavailable: 1"))
    assert "a DaemonSet" in text
    assert not said(plain + BUDGET.format(namespace="ml", said="minAvailable: 1"))
