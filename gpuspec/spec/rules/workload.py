"""The rules of each kind of workload."""

from collections.abc import Iterator

from gpuspec.spec.cluster_selection import Clusters
from gpuspec.spec.inference import Inference
from gpuspec.spec.jobs import BatchInference, FineTune, Training
from gpuspec.spec.placing import Placing
from gpuspec.spec.rules import (
    amounts,
    devices,
    environment,
    helpers,
    metadata,
    overrides,
    user,
    volumes,
)
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.workload import WorkloadModel


def workload_problems(model: WorkloadModel) -> Iterator[SpecViolation]:
    """Yield all violations of a workload, in no particular order."""
    spec = model.spec
    yield from metadata.problems(model.metadata, spec)
    yield from image(spec.image, ("spec", "image"))
    yield from devices.problems(spec)
    if spec.gpu.topology is not None:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.spec.rules import slices

        yield from slices.problems(spec)
    if spec.clusters != Clusters():
        from gpuspec.spec.rules import cluster_selection

        yield from cluster_selection.problems(spec)
    if spec.place != Placing():
        from gpuspec.spec.rules import placing

        yield from placing.problems(spec)
    yield from amounts.problems(spec, ("spec",))
    yield from amounts.resources(spec.resources)
    yield from environment.problems(spec.env, spec.env_from, ("spec",))
    yield from volumes.problems(spec)
    yield from helpers.problems(spec)
    yield from user.problems(spec)
    yield from overrides.problems(spec)
    yield from _of_kind(model)


def _of_kind(model: WorkloadModel) -> Iterator[SpecViolation]:
    """Yield the rules of one kind, which are imported only for it to start faster."""
    match model:
        case Training():
            from gpuspec.spec.rules import training

            yield from training.problems(model.metadata.name, model.spec)
        case FineTune():
            from gpuspec.spec.rules import training

            yield from training.problems(model.metadata.name, model.spec)
            yield from training.fine_tune_problems(model.spec)
        case BatchInference():
            from gpuspec.spec.rules import batch

            yield from batch.problems(model.metadata.name, model.spec)
        case Inference():
            from gpuspec.spec.rules import inference

            yield from inference.problems(model.metadata.name, model.spec)
