"""Training runtimes.

Source: github.com/kubeflow/trainer v2.3.0, pkg/webhooks/trainingruntime_webhook.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, maps, number, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import Violation

_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_CONTAINERS = {
    "trainer": "node",
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
}
"""By step, the container that a TrainJob changes."""
_POD = ("template", "spec", "template", "spec")


def steps(value: Map, version: str) -> Iterator[Violation]:
    """The job of a step is one, and has the container that TrainJobs change."""
    for index, job in maps(inner(value, "spec", "template", "spec"), "replicatedJobs"):
        step = inner(job, "template", "metadata", "labels").get(_STEP)
        if step not in _CONTAINERS:
            continue
        path = ("spec", "template", "spec", "replicatedJobs", index)
        if number(job, "replicas", 1) != 1:
            yield refused((*path, "replicas"), f"the job of the step `{step}` has one replica")
        name = _CONTAINERS[step]
        if all(one.get("name") != name for _, one in maps(inner(job, *_POD), "containers")):
            yield refused(
                (*path, *_POD, "containers"),
                f"the job of the step `{step}` needs a container called `{name}`, which TrainJobs change",
            )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "trainer.v1alpha1.ClusterTrainingRuntime": (steps,),
    "trainer.v1alpha1.TrainingRuntime": (steps,),
}
