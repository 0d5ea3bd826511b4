"""Overrides: of objects that a workload of this kind has, and with something to change."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.jobs import BatchInferenceSpec, TrainingFields
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.words import did_you_mean, shown

SERVING = (
    "Deployment",
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Service",
    "ServiceAccount",
)


def kinds(spec: WorkloadSpec) -> tuple[str, ...]:
    """Kinds of the objects that can be made of a workload."""
    match spec:
        case InferenceSpec():
            return SERVING
        case BatchInferenceSpec(schedule=schedule):
            return ("Job",) if schedule is None else ("CronJob",)
        case TrainingFields(workers=workers):
            return ("Job", "Service") if workers > 1 else ("Job",)
    return ()


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of the overrides."""
    known = kinds(spec)
    for index, override in enumerate(spec.overrides):
        path: Path = ("spec", "overrides", index)
        if override.kind not in known:
            yield Broken(
                f"{shown(override.kind)} is no kind that this workload makes",
                (*path, "kind"),
                did_you_mean(override.kind, known, 0.75) or f"it makes: {', '.join(known)}",
                needs=(("spec", "schedule"), ("spec", "workers")),
            )
        if not override.patch:
            yield Broken("the override changes nothing", (*path, "patch"), "delete it")
