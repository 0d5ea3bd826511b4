"""Training runtimes, and TrainJobs of any runtime.

Source: github.com/kubeflow/trainer v2.3.0, pkg/webhooks,
pkg/runtime/framework/plugins/jobset/jobset.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, maps, number, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_CONTAINERS = {
    "trainer": "node",
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
}
"""By step, the container that a TrainJob changes."""
_POD = ("template", "spec", "template", "spec")


def steps(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the job of each step has one replica, and the container that TrainJobs change."""
    for index, job in maps(inner(value, "spec", "template", "spec"), "replicatedJobs"):
        step = inner(job, "template", "metadata", "labels").get(_STEP)
        if step not in _CONTAINERS:
            continue
        path = ("spec", "template", "spec", "replicatedJobs", index)
        if number(job, "replicas", 1) != 1:
            yield refused(
                (*path, "replicas"), f"the job of the step `{step}` must have one replica"
            )
        name = _CONTAINERS[step]
        if all(
            container.get("name") != name for _, container in maps(inner(job, *_POD), "containers")
        ):
            yield refused(
                (*path, *_POD, "containers"),
                f"the job of the step `{step}` needs a container `{name}`, in which TrainJobs set image and command",
            )


def runtime(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a TrainJob has a runtime: its definition requires one only if `spec` is set."""
    if value.get("spec") is None:
        yield refused(("spec",), "it is missing, and so is `runtimeRef`")


def patches(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a patch does not set the environment of containers that TrainJobs have fields for."""
    spec = ("trainingRuntimeSpec", "template", "spec")
    for index, patch in maps(inner(value, "spec"), "runtimePatches"):
        for at, job in maps(inner(patch, *spec), "replicatedJobs"):
            for place, container in maps(inner(job, *_POD), "containers"):
                if container.get("env") and container.get("name") in _CONTAINERS.values():
                    where = ("spec", "runtimePatches", index, *spec, "replicatedJobs", at, *_POD)
                    yield refused(
                        (*where, "containers", place, "env"),
                        f"a patch cannot set the environment of container `{container['name']}`",
                        "set `spec.trainer.env` for `node`, and `env` of `spec.initializer` for "
                        "the others",
                    )


_NAMED = (("trainer",), ("initializer", "dataset"), ("initializer", "model"))
ZERO: dict[str, dict[Path, str]] = {
    "trainer.v1alpha1.TrainJob": {("spec", *at, "env", "*", "name"): '""' for at in _NAMED}
}
RELATIONS: dict[str, tuple[Relation, ...]] = {
    "trainer.v1alpha1.ClusterTrainingRuntime": (steps,),
    "trainer.v1alpha1.TrainJob": (runtime, patches),
    "trainer.v1alpha1.TrainingRuntime": (steps,),
}
