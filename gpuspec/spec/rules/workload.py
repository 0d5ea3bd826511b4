"""Which rules apply to which kind."""

from collections.abc import Iterator

from gpuspec.spec.inference import Inference
from gpuspec.spec.jobs import BatchInference, FineTune, Training
from gpuspec.spec.rules import batch, common, containers, devices, inference, training
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.workload import WorkloadModel


def workload_problems(model: WorkloadModel) -> Iterator[Broken]:
    """All broken rules of a workload, in no particular order."""
    yield from common.problems(model.metadata, model.spec)
    yield from containers.problems(model.spec)
    yield from devices.problems(model.spec)
    match model:
        case Training():
            yield from training.problems(model.metadata.name, model.spec)
        case FineTune():
            yield from training.problems(model.metadata.name, model.spec)
            yield from training.fine_tune_problems(model.spec)
        case BatchInference():
            yield from batch.problems(model.metadata.name, model.spec)
        case Inference():
            yield from inference.problems(model.metadata.name, model.spec)
