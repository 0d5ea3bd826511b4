"""GPU763: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

KINDS = {
    "StatefulSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "Rollout": "argoproj.io/v1alpha1",
}
POD = """apiVersion: {api}
kind: {kind}
metadata: {{name: ranks, namespace: ml}}
spec:
  {more}
  template:
    metadata: {{labels: {{app: ranks}}}}
    spec:
      containers:
        - name: main
          image: a/b:1
          command: [bash, -c]
          args: ['{script}']
          env: [{env}]
          resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
"""
FIELD = "{{name: PLACE, valueFrom: {{fieldRef: {{fieldPath: \"metadata.labels['{}']\"}}}}}}".format


def said(kind: str, script: str = "train", env: str = "", more: str = "suspend: null") -> list[str]:
    text = POD.format(kind=kind, api=KINDS[kind], script=script, env=env, more=more)
    return [one.finding().path for one in raised(text) if one.rule.code == "GPU763"]


@pytest.mark.parametrize(
    ("kind", "script"),
    [
        ("StatefulSet", "torchrun --node-rank=$LWS_WORKER_INDEX t.py"),
        ("StatefulSet", "torchrun --node-rank=$(JOB_COMPLETION_INDEX) t.py"),
        ("Deployment", "torchrun --node-rank=${PET_NODE_RANK} t.py"),
        ("Job", "torchrun --node-rank=$JOB_COMPLETION_INDEX t.py"),
        ("Job", 'python -c "import os; os.environ["VC_TASK_INDEX"]"'),
    ],
)
def test_what_no_controller_sets(kind: str, script: str) -> None:
    assert said(kind, script) == ["spec.template.spec.containers[0].args[0]"]


@pytest.mark.parametrize(
    ("kind", "script"),
    [
        ("StatefulSet", "torchrun --node-rank=${HOSTNAME##*-} t.py"),
        ("StatefulSet", "LWS_WORKER_INDEX=3; echo $LWS_WORKER_INDEX"),
        ("StatefulSet", "echo ${LWS_WORKER_INDEX:-0}"),
        ("StatefulSet", "echo $LWS_WORKER_INDEX_OF_MINE"),
        ("Rollout", "echo $LWS_WORKER_INDEX"),
    ],
)
def test_what_is_set_or_may_be(kind: str, script: str) -> None:
    assert not said(kind, script)


def test_an_indexed_job_and_one_that_sets_it_itself() -> None:
    script = "echo $JOB_COMPLETION_INDEX"
    assert not said("Job", script, more="completionMode: Indexed\n  completions: 2")
    assert not said("Job", script, env="{name: JOB_COMPLETION_INDEX, value: '0'}")


def test_labels_of_other_controllers() -> None:
    index = FIELD("apps.kubernetes.io/pod-index")
    assert said("Job", env=index)
    assert not said("StatefulSet", env=index)
    assert not said("Job", env=FIELD("app"))


@pytest.mark.parametrize(("plugins", "found"), [("{svc: []}", 1), ("{svc: [], env: []}", 0)])
def test_volcano_sets_its_number_with_a_plugin(plugins: str, found: int) -> None:
    text = f"""apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: a}}
spec:
  plugins: {plugins}
  tasks:
    - name: worker
      replicas: 2
      template:
        spec:
          containers:
            - name: main
              image: a/b:1
              command: [sh, -c, "torchrun --node-rank=$VC_TASK_INDEX t.py"]
              resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
    faults = [one.finding() for one in raised(text) if one.rule.code == "GPU763"]
    assert len(faults) == found
    assert all("`spec.plugins` has no `env`" in fault.message for fault in faults)
