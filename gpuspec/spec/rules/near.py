"""Rules for pods that a queue keeps close together."""

from collections.abc import Iterator

from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.jobs import TrainingFields
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.together import pods_together, together_field


def problems(spec: TrainingFields | InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a requested topology."""
    if spec.queue is None:
        yield SpecViolation(
            "`topology` needs a queue, and there is no `queue`",
            ("spec", "topology"),
            "name the queue, or delete it",
            key=True,
            needs=(("spec", "queue"),),
        )
    if pods_together(spec) == 1:
        field = str(together_field(spec))
        yield SpecViolation(
            f"with `{field}: 1` there are no other pods to be close to",
            ("spec", "topology"),
            "delete it",
            key=True,
            needs=(("spec", field),),
        )
