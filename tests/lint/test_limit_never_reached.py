"""GPU760: beyond what its page shows."""

import pytest

from gpuspec.manifests.schedules import least_gap
from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml, labels: {{{label}}}}}
spec:
  {deadline}
  template:
    spec:
      containers:
        - name: main
          image: a/b:1
          command: [{command}]
          resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
"""
PYTORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {activeDeadlineSeconds: 600}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          activeDeadlineSeconds: 6000
          containers:
            - name: pytorch
              image: a/b:1
              resources: {limits: {nvidia.com/gpu: 1, memory: 64Gi}}
"""
CRON = """apiVersion: batch/v1
kind: CronJob
metadata: {{name: nightly, namespace: ml}}
spec:
  schedule: "0 2 * * *"
  jobTemplate:
    spec:
      activeDeadlineSeconds: {limit}
      template:
        spec:
          containers:
            - name: main
              image: a/b:1
              resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
"""


def said(text: str) -> list[str]:
    return [one.finding().path for one in raised(text) if one.rule.code == "GPU760"]


def job(command: str, deadline: str = "activeDeadlineSeconds: 3600", label: str = "") -> list[str]:
    return said(JOB.format(command=command, deadline=deadline, label=label))


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("timeout, 2h, torchrun, train.py", True),
        ("timeout, -k, '30', '7200', torchrun, train.py", True),
        ("bash, -c, 'timeout --signal=INT 7200s python train.py'", True),
        ("timeout, 30m, torchrun, train.py", False),
        ("timeout, $LIMIT, torchrun, train.py", False),
        ("python, train.py, --timeout, '7200'", False),
    ],
)
def test_a_program_has_less_time_than_it_is_given(command: str, found: bool) -> None:
    assert bool(job(command)) is found


def test_kueue_ends_a_workload_before_its_job_ends_itself() -> None:
    label = 'kueue.x-k8s.io/max-exec-time-seconds: "600"'
    assert job("python, train.py", label=label) == ["spec.activeDeadlineSeconds"]
    assert not job("python, train.py", deadline="activeDeadlineSeconds: 500", label=label)


def test_the_policy_of_a_run_is_above_its_pods() -> None:
    path = "spec.pytorchReplicaSpecs.Master.template.spec.activeDeadlineSeconds"
    assert said(PYTORCH) == [path]
    assert not said(PYTORCH.replace("6000", "600"))


@pytest.mark.parametrize(
    ("schedule", "seconds"),
    [
        ("0 2 * * *", 86400),
        ("*/15 * * * *", 900),
        ("0 8,20 * * *", 43200),
        ("0 1,3 * * *", 7200),
        ("0 2 * * 0", 7 * 86400),
        ("0 2 * * 1-5", 86400),
        ("0 2 1 * *", None),
        ("0 2,4 1 * *", 7200),
        ("@hourly", 3600),
        ("@every 1h", None),
        ("61 * * * *", None),
    ],
)
def test_the_shortest_wait_between_two_runs(schedule: str, seconds: int | None) -> None:
    assert least_gap(schedule) == seconds


@pytest.mark.parametrize(("limit", "found"), [(3600, False), (86400, False), (90000, True)])
def test_a_run_may_be_longer_than_the_wait_for_the_next(limit: int, found: bool) -> None:
    """GPU729: the limit bounds the run, and not below the schedule."""
    text = CRON.format(limit=limit)
    assert ("GPU729" in [one.rule.code for one in raised(text)]) is found
