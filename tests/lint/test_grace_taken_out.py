"""GPU865: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

RUN = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tune, namespace: research, labels: {LABEL}}
spec:
  runtimeRef: {kind: TrainingRuntime, name: ours}
  runtimePatches:
    - manager: example.com/team
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template: {spec: {template: {spec: {terminationGracePeriodSeconds: 300}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: ours, namespace: research}
spec:
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {OWN, containers: [{name: node, image: a/b:1}]}}}
"""
QUEUED = "kueue.x-k8s.io/queue-name: research"


@pytest.mark.parametrize(
    ("label", "own", "found"),
    [
        (QUEUED, "", True),
        (QUEUED, "terminationGracePeriodSeconds: 30", True),
        (QUEUED, "terminationGracePeriodSeconds: 300", False),
        ("team: a", "", False),
    ],
)
def test_it_is_said_where_what_is_made_changes(label: str, own: str, found: bool) -> None:
    """Not of a run that no queue starts, nor where the runtime has the same number."""
    text = RUN.replace("LABEL", label).replace("OWN, ", f"{own}, " if own else "")
    assert ("GPU865" in [one.rule.code for one in raised(text)]) is found
