"""Rules for training and fine-tuning."""

from collections.abc import Iterator

from gpuspec.spec.jobs import METHOD_FACTOR, FineTuneSpec, TrainingFields
from gpuspec.spec.mpi import MpiLauncher
from gpuspec.spec.rules import amounts, jobs, launching, names, weights
from gpuspec.spec.rules.violation import SpecViolation


def problems(name: str, spec: TrainingFields) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the common fields of training and fine-tuning."""
    several = spec.workers > 1
    yield from names.job_name(name, spec, spec.workers if several else None, service=several)
    retries, path = spec.retries, ("spec", "retries")
    yield from jobs.exit_codes(retries.fail_on_exit_codes, retries.on_exit_code, path)
    yield from launching.problems(spec)
    if spec.mpi_launcher != MpiLauncher():
        from gpuspec.spec.rules import metadata

        at, resources = ("spec", "mpiLauncher"), spec.mpi_launcher.resources
        yield from metadata.of_pods(spec.mpi_launcher, at)
        yield from amounts.shared_memory(resources.shm, resources.memory, (*at, "resources"))
    yield from amounts.run_time(spec.duration.expected, spec.duration.max)
    yield from jobs.artifact(spec.dataset, "dataset")
    if spec.roles:
        from gpuspec.spec.rules import roles

        yield from roles.problems(spec)
    if spec.topology is not None:
        from gpuspec.spec.rules import near

        yield from near.problems(spec)
    checkpoint, longest = spec.checkpoint, spec.duration.max
    if checkpoint and longest and checkpoint.every.seconds >= longest.seconds:
        yield SpecViolation(
            f"a checkpoint every {checkpoint.every}, but the run is stopped after {longest}: "
            "none is ever written",
            ("spec", "checkpoint", "every"),
            needs=(("spec", "duration", "max"),),
        )
    if (
        checkpoint
        and checkpoint.every.seconds
        and checkpoint.save.seconds >= checkpoint.every.seconds
    ):
        yield SpecViolation(
            f"saving takes {checkpoint.save}, but the next checkpoint is due after "
            f"{checkpoint.every}",
            ("spec", "checkpoint", "save"),
            "write checkpoints less often",
            needs=(("spec", "checkpoint", "every"),),
        )


def fine_tune_problems(spec: FineTuneSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for fine-tuning alone."""
    yield from weights.source(spec.base_model, "baseModel")
    yield from jobs.tokens(spec.base_model, "baseModel", spec.dataset, "dataset")
    gpus = spec.gpu.count * spec.workers
    part = METHOD_FACTOR[spec.method]
    yield from weights.memory(spec.base_model, spec, "baseModel", gpus, part)
