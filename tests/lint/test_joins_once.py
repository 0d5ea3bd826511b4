"""GPU761: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

GROUP = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: big, namespace: ml}}
spec:
  {policy}
  leaderWorkerTemplate:
    size: 2
    restartPolicy: {restart}
    workerTemplate:
      spec:
        containers:
          - name: worker
            image: a/b:1
            command: [{command}]
            env: [{{name: {variable}, value: "100"}}]
            resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
"""
JOIN = "ray, start, --address=head:6379, --block"


def said(
    command: str = JOIN,
    policy: str = "replicas: 1",
    restart: str = "RecreateGroupOnPodRestart",
    variable: str = "OTHER",
) -> bool:
    text = GROUP.format(command=command, policy=policy, restart=restart, variable=variable)
    return "GPU761" in [one.rule.code for one in raised(text)]


def test_a_worker_that_joins_at_once() -> None:
    assert said()


@pytest.mark.parametrize(
    "command",
    [
        "ray, start, --head, --block",
        "bash, -c, 'sleep 60; ray start --address=head:6379'",
        "bash, -c, 'until nc -z head 6379; do :; done; ray start --address=head:6379'",
        "bash, /scripts/multi-node-serving.sh, worker, --ray_address=head",
    ],
)
def test_a_worker_that_waits_or_is_none(command: str) -> None:
    assert not said(command)


def test_a_worker_that_tries_longer_or_falls_alone() -> None:
    assert not said(policy="startupPolicy: LeaderReady")
    assert not said(restart="None")
    assert not said(variable="RAY_NUM_REDIS_GET_RETRIES")
