"""GPU893 and GPU894: beyond what their pages show."""

import pytest

from tests.lint.pages import raised

WORKFLOW = """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: train-, namespace: ml}
spec:
  entrypoint: main
  arguments: {parameters: [{name: dataset, value: a}]}
  templates:
    - name: main
      dag:
        tasks:
          - {name: prepare, template: prepare}
          - name: train
            template: train
            depends: prepare.Succeeded
            arguments: {parameters: [{name: rate, value: "{{tasks.prepare.outputs.result}}"}]}
    - name: prepare
      container: {image: "python:3.12", command: [python, "{{workflow.parameters.dataset}}"]}
    - name: train
      inputs: {parameters: [{name: rate}, {name: epochs, value: "3"}]}
      container:
        image: ghcr.io/example/train:2.3.1
        command: [python, train.py, "{{inputs.parameters.rate}}", "{{inputs.parameters.epochs}}"]
        resources: {limits: {nvidia.com/gpu: 1}}
"""
STEP = """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: train-, namespace: ml}
spec:
  entrypoint: main
  templates:
    - name: main
      resource:
        action: create
        CONDITION
        manifest: |
          apiVersion: kubeflow.org/v1
          kind: PyTorchJob
          metadata: {generateName: train-}
          spec:
            pytorchReplicaSpecs:
              Master:
                template:
                  spec:
                    containers:
                      - {name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 1}}}
"""


def said(code: str, text: str) -> list[str]:
    """Return what a rule says of a manifest."""
    return [one.finding().message for one in raised(text) if one.rule.code == code]


@pytest.mark.parametrize(
    ("right", "wrong", "word"),
    [
        ("template: train", "template: tune", "no template `tune`"),
        ("depends: prepare.Succeeded", "depends: fetch && prepare", "no task `fetch`"),
        ("depends: prepare.Succeeded", "dependencies: [fetch]", "no task `fetch`"),
        ("tasks.prepare.outputs", "tasks.fetch.outputs", "no task `fetch`"),
        ("inputs.parameters.epochs", "inputs.parameters.steps", "no input"),
        ("{name: rate, value: ", "{name: speed, value: ", "needs the parameter `rate`"),
        ("workflow.parameters.dataset", "workflow.parameters.datasets", "`dataset` is"),
        ("entrypoint: main", "entrypoint: main\n  onExit: notify", "no template `notify`"),
    ],
)
def test_a_name_that_nothing_has(right: str, wrong: str, word: str) -> None:
    text = WORKFLOW.replace(right, wrong)
    messages = said("GPU893", text)
    assert text != WORKFLOW
    assert [message for message in messages if word in message], messages


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("entrypoint: main", "entrypoint: '{{workflow.parameters.start}}'"),
        ("workflow.parameters.dataset", "workflow.parameters.other"),
        ("template: prepare}", "templateRef: {name: shared, template: prepare}}"),
        ("inputs: {parameters: [{name: rate},", "inputs: {parameters: [{name: rate, default: '1'},"),
    ],
)  # fmt: skip
def test_a_name_that_something_else_may_have(right: str, wrong: str) -> None:
    text = WORKFLOW.replace(right, wrong)
    assert text != WORKFLOW
    assert not said("GPU893", WORKFLOW)
    assert not said("GPU893", text)


def test_a_cron_workflow_has_its_spec_deeper() -> None:
    spec = WORKFLOW.split("spec:\n", 1)[1].replace("template: train", "template: tune")
    deeper = "".join(f"  {line}\n" for line in spec.splitlines())
    text = f"apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {{name: n, namespace: ml}}\nspec:\n  schedules: ['0 2 * * *']\n  workflowSpec:\n{deeper}"
    assert "no template `tune`" in said("GPU893", text)[0]


def test_a_condition_on_a_field_that_the_kind_lacks() -> None:
    assert said("GPU894", STEP.replace("CONDITION", "setOwnerReference: true"))
    (message,) = said("GPU894", STEP.replace("CONDITION", "successCondition: status.succeeded > 0"))
    assert "no `status.succeeded`" in message
    right = "successCondition: status.replicaStatuses.Master.succeeded > 0"
    assert not said("GPU894", STEP.replace("CONDITION", right))
    other = STEP.replace("CONDITION", "setOwnerReference: true").replace(
        "nvidia.com/gpu: 1", "cpu: 1"
    )
    assert not said("GPU894", other)
