"""The number of pods that must start together, and the field that sets it."""

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.jobs import TrainingFields


def together_field(spec: WorkloadSpec) -> str | None:
    """Return the field with the number of pods that start together; None if each starts by itself."""
    match spec:
        case TrainingFields():
            return "workers"
        case InferenceSpec():
            return "nodes"
    return None


def pods_together(spec: WorkloadSpec) -> int:
    """Return the number of pods that start together; 1 if each starts by itself."""
    field = together_field(spec)
    pods: int = getattr(spec, field) if field else 1
    return pods
