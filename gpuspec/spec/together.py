"""How many pods of a workload are of use only together, and which field says so."""

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.jobs import TrainingFields


def together_field(spec: WorkloadSpec) -> str | None:
    """Return the field that says how many pods start together; None where each goes by itself."""
    match spec:
        case TrainingFields():
            return "workers"
        case InferenceSpec():
            return "nodes"
    return None


def pods_together(spec: WorkloadSpec) -> int:
    """Return pods that start together; 1 where each goes by itself."""
    field = together_field(spec)
    pods: int = getattr(spec, field) if field else 1
    return pods
