"""GPU745: beyond what its page shows, and what test_first_rank_unnamed.py has of StatefulSets."""

import pytest

from tests.lint.pages import raised

JOBSET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: pretrain, namespace: ml}}
spec:
  {policy}
  replicatedJobs:
    - name: first
      template: &job
        spec:
          parallelism: {pods}
          completions: {pods}
          template:
            spec:
              containers:
                - name: main
                  image: a/b:1
                  command: [torchrun, --nnodes=2, --rdzv-backend=c10d, "--rdzv-endpoint=p:1", t.py]
                  {probe}
                  resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
    - name: second
      {after}
      template: *job
"""
GROUP = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: big, namespace: ml}}
spec:
  startupPolicy: LeaderReady
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
          - name: sglang
            image: lmsysorg/sglang:v0.5.9
            command: [python3, -m, sglang.launch_server, --model, m, {words}]
            {probe}
            resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
    workerTemplate:
      spec:
        containers: [{{name: sglang, image: "lmsysorg/sglang:v0.5.9", command: [sleep, inf]}}]
"""
PROBE = "readinessProbe: {httpGet: {path: /health, port: 30000}}"


def said(text: str) -> list[str]:
    return [one.finding().path for one in raised(text) if one.rule.code == "GPU745"]


def jobset(policy: str = "", after: str = "", probe: str = PROBE, pods: int = 1) -> list[str]:
    policy, after = policy or "suspend: false", after or "replicas: 1"
    return said(JOBSET.format(policy=policy, after=after, probe=probe or "tty: false", pods=pods))


@pytest.mark.parametrize(
    ("after", "probe", "pods", "found"),
    [
        ("dependsOn: [{name: first, status: Complete}]", "", 1, True),
        ("dependsOn: [{name: first, status: Ready}]", PROBE, 1, True),
        ("dependsOn: [{name: first, status: Ready}]", "", 1, False),
        ("dependsOn: [{name: first, status: Complete}]", "", 2, False),
        ("", PROBE, 1, False),
    ],
)
def test_a_job_of_a_jobset_after_one_that_waits_for_it(
    after: str, probe: str, pods: int, found: bool
) -> None:
    path = "spec.replicatedJobs[1].dependsOn[0].status"
    assert jobset(after=after, probe=probe, pods=pods) == [path] * found


@pytest.mark.parametrize(
    ("order", "probe", "found"),
    [("InOrder", PROBE, True), ("InOrder", "", False), ("AnyOrder", PROBE, False)],
)
def test_jobs_of_a_jobset_in_order(order: str, probe: str, found: bool) -> None:
    policy = f"startupPolicy: {{startupPolicyOrder: {order}}}"
    path = "spec.startupPolicy.startupPolicyOrder"
    assert jobset(policy, probe=probe) == [path] * found


@pytest.mark.parametrize(
    ("words", "probe", "found"),
    [
        ('--tp, "2", --nnodes, "2"', PROBE, True),
        ('--tp, "2", --nnodes, "2"', "tty: false", False),
        ("--disable-radix-cache", PROBE, False),
    ],
)
def test_workers_after_a_leader_that_waits_for_them(words: str, probe: str, found: bool) -> None:
    assert said(GROUP.format(words=words, probe=probe)) == ["spec.startupPolicy"] * found
