"""A TrainJob and its runtime, which Trainer's webhook compares."""

import copy
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.manifests import parse_path, write
from tests.refusals.contest.trees import put

RUNTIME = yaml.safe_load("""
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torchtune-llama3.2-1b, namespace: team}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: dataset-initializer
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
            spec:
              template:
                spec:
                  containers:
                    - {name: dataset-initializer, image: "registry.example.com/data:1", volumeMounts: [{name: initializer, mountPath: /workspace}]}
                  volumes: [{name: initializer, emptyDir: {}}]
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec:
                  containers: [{name: node, image: "registry.example.com/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
""")
JOB = yaml.safe_load("""
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tune, namespace: team}
spec:
  runtimeRef: {kind: TrainingRuntime, name: torchtune-llama3.2-1b}
  initializer: {dataset: {storageUri: "hf://team/sentences"}}
  trainer:
    numNodes: 1
    command: [tune, run]
    args: [model.dim=4]
    env: [{name: NCCL_DEBUG, value: WARN}]
  runtimePatches:
    - manager: example.com/platform
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template: {spec: {template: {spec: {containers: [{name: node, volumeMounts: []}]}}}}
""")
PATCHED = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
INSIDE = f"{PATCHED}.template.spec.template.spec.containers[0].name"
FAULTS = [
    ("spec.initializer.model", {"storageUri": "hf://team/small"}, "spec.initializer.model", "no job `model-initializer`"),
    ("spec.trainer.env[0].name", "PET_NNODES", "spec.trainer.env[0]", "is set by Trainer"),
    ("spec.trainer.args[0]", "output_dir=/a", "spec.trainer.args[0]", "set by the runtime for torchtune"),
    ("spec.runtimeRef.name", "torchtune-llama4-scout", "spec.runtimeRef.name", "does not know `llama4-scout`"),
    ("spec.trainer.numNodes", 2, "spec.trainer.numNodes", "on one node only"),
]  # fmt: skip
PATCHES = [
    (f"{PATCHED}.name", "trainer", f"{PATCHED}.name", "only `dataset-initializer`, `node`"),
    (INSIDE, "main", INSIDE, "has no container `main`"),
]
OTHERS = [
    ("mpi", "OMPI_MCA_plm_rsh_args"),
    ("xgboost", "DMLC_TASK_ID"),
]


def called(runtime: Any, job: Any) -> Any:
    """A runtime, called as a job names it."""
    return put(copy.deepcopy(runtime), ("metadata", "name"), job["spec"]["runtimeRef"]["name"])


def said(job: Any, *beside: Any) -> list[tuple[str, str]]:
    found = gpuspec.lint_text(write([job, *beside]), "job.yaml", select=["GPU780"]).findings
    return [(one.path, one.message) for one in found]


def of(policy: str, variable: str) -> tuple[Any, Any]:
    """A job that sets a variable, and a runtime of a policy."""
    runtime = put(copy.deepcopy(RUNTIME), parse_path("spec.mlPolicy"), {policy: {}})
    job = put(copy.deepcopy(JOB), parse_path("spec.trainer.env[0].name"), variable)
    return put(job, parse_path("spec.trainer.command"), ["train"]), runtime


def test_a_job_that_goes_with_its_runtime_is_left_alone() -> None:
    assert said(JOB, RUNTIME) == []


@pytest.mark.parametrize(("where", "value", "at", "words"), [*FAULTS, *PATCHES])
def test_what_the_runtime_lacks_or_sets_is_refused(
    where: str, value: Any, at: str, words: str
) -> None:
    job = put(copy.deepcopy(JOB), parse_path(where), value)
    ((path, message),) = said(job, called(RUNTIME, job))
    assert (path, words in message) == (at, True), message
    # Of a runtime that is elsewhere nothing is known.
    assert said(job) == []


def test_a_patch_may_add_a_container_that_is_whole() -> None:
    job = put(copy.deepcopy(JOB), parse_path(INSIDE), "log")
    image = parse_path(INSIDE.replace(".name", ".image"))
    assert said(put(job, image, "registry.example.com/log:1"), RUNTIME) == []


@pytest.mark.parametrize(("policy", "variable"), OTHERS)
def test_each_policy_has_variables_of_its_own(policy: str, variable: str) -> None:
    job, runtime = of(policy, variable)
    assert [path for path, _ in said(job, runtime)] == ["spec.trainer.env[0]"]
    assert said(job, RUNTIME) == []


def test_a_job_for_the_data_needs_its_container_and_the_volume() -> None:
    for where, value, words in (
        ("containers[0].name", "data", "has no container of that name"),
        ("containers[0].volumeMounts[0].name", "data", "mounts no `initializer`"),
    ):
        path = f"spec.template.spec.replicatedJobs[0].template.spec.template.spec.{where}"
        runtime = put(copy.deepcopy(RUNTIME), parse_path(path), value)
        ((at, message),) = said(JOB, runtime)
        assert (at, words in message) == ("spec.initializer.dataset", True)
