"""GPU110, GPU214 and GPU713: sums of what one object's pods ask for, beyond what their pages show."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: t, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  parallelism: 4
  completions: 2
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {karpenter.sh/nodepool: gpu}
      containers:
        - name: t
          image: registry.example.com/t:1
          resources: {requests: {cpu: 8, memory: 64Gi}, limits: {nvidia.com/gpu: 8, example.com/nic: 1}}
---
"""
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: ml}
spec: {hard: {HARD}}
"""
LIMITS = """\
apiVersion: v1
kind: LimitRange
metadata: {name: team, namespace: ml}
spec: {limits: [{type: TYPE, max: {MAX}}]}
"""
POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec: {limits: {LIMITS}}
"""
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  resourceGroups:
    - coveredResources: [cpu, memory, nvidia.com/gpu, example.com/nic]
      flavors:
        - name: f
          resources:
            - {name: cpu, nominalQuota: CPU}
            - {name: memory, nominalQuota: MEMORY}
            - {name: nvidia.com/gpu, nominalQuota: 40}
            - {name: example.com/nic, nominalQuota: NIC}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: ml}
spec: {clusterQueue: cq}
"""


def said(code: str, other: str) -> list[RaisedFinding]:
    return [one for one in raised(JOB + other) if one.rule.code == code]


@pytest.mark.parametrize(
    ("hard", "words"),
    [
        ("requests.nvidia.com/gpu: 8", "2 pods request 16 `nvidia.com/gpu`"),
        ("requests.memory: 100Gi", "2 pods request 128Gi of `memory`"),
        ("cpu: 15", "the controller creates only 1"),
    ],
)
def test_a_quota_that_is_too_small(hard: str, words: str) -> None:
    (one,) = said("GPU110", QUOTA.replace("HARD", hard))
    assert words in one.found.message


@pytest.mark.parametrize(
    "quota",
    [
        QUOTA.replace("HARD", "requests.nvidia.com/gpu: 16, cpu: 16"),
        QUOTA.replace("HARD", "pods: 1"),
        QUOTA.replace("HARD", "cpu: 1").replace("namespace: ml", "namespace: other"),
        QUOTA.replace("{hard: {HARD}}", "{hard: {cpu: 1}, scopes: [BestEffort]}"),
    ],
)
def test_a_quota_that_is_enough_or_anothers(quota: str) -> None:
    assert not said("GPU110", quota)


def test_what_a_pod_requests_as_a_whole_counts() -> None:
    containers = "resources: {requests: {cpu: 8, memory: 64Gi}, limits: {nvidia.com/gpu: 8, example.com/nic: 1}}"
    whole = JOB.replace(containers, "resources: {limits: {nvidia.com/gpu: 8}}").replace(
        "restartPolicy: Never", "restartPolicy: Never\n      resources: {requests: {memory: 64Gi}}"
    )
    quota = QUOTA.replace("HARD", "requests.memory: 100Gi")
    (one,) = [each for each in raised(whole + quota) if each.rule.code == "GPU110"]
    assert "2 pods request 128Gi of `memory`" in one.found.message
    assert one.finding().path == "spec.template.spec.resources.requests.memory"


def test_a_limit_of_a_container() -> None:
    (one,) = said("GPU110", LIMITS.replace("TYPE", "Container").replace("MAX", "nvidia.com/gpu: 4"))
    assert one.finding().path.endswith('resources.limits["nvidia.com/gpu"]')
    assert "container `t` has a limit of 8" in one.found.message
    assert not said("GPU110", LIMITS.replace("TYPE", "Container").replace("MAX", "cpu: 8"))
    assert not said("GPU110", LIMITS.replace("TYPE", "Pod").replace("MAX", "cpu: 1"))


@pytest.mark.parametrize(
    ("limits", "severity"),
    [("nvidia.com/gpu: 4", "error"), ("cpu: 16", None), ("memory: 1", "error")],
)
def test_a_node_pool(limits: str, severity: str | None) -> None:
    found = said("GPU214", POOL.replace("LIMITS", limits))
    assert [one.finding().severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("cpu", "memory", "nic", "words"),
    [
        ("100", "1Ti", "0", "2 pods request 2 `example.com/nic`, but queue `lq` can give at most 0 `example.com/nic`"),
        ("10", "1Ti", "2", "16 `cpu`"),
        ("100", "100Gi", "2", "128Gi of `memory`"),
    ],
)  # fmt: skip
def test_a_queue_of_any_resource(cpu: str, memory: str, nic: str, words: str) -> None:
    queue = QUEUE.replace("CPU", cpu).replace("MEMORY", memory).replace("NIC", nic)
    (one,) = said("GPU713", queue)
    assert words in one.found.message


def test_a_queue_that_is_enough() -> None:
    queue = QUEUE.replace("CPU", "16").replace("MEMORY", "128Gi").replace("NIC", "2")
    assert not said("GPU713", queue)
