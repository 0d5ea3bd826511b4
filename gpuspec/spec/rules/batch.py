"""Rules for batch inference."""

from collections.abc import Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.manifests.schedules import cron_problem, time_zones
from gpuspec.spec.failing import FAIL_SHARD
from gpuspec.spec.jobs import BatchInferenceSpec, Schedule
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules import amounts, jobs, names, weights
from gpuspec.spec.rules.violation import SpecViolation

# The CronJob controller looks every ten seconds: a shorter deadline can miss every run.
LEAST_DEADLINE = 10
_SHARDS: Path = ("spec", "shards")
_SCHEDULE: Path = ("spec", "schedule")


def problems(name: str, spec: BatchInferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for batch inference."""
    yield from _shards(spec)
    yield from jobs.exit_codes(spec.fail_on_exit_codes, spec.on_exit_code, ("spec",))
    yield from _failing_shards(spec)
    yield from amounts.run_time(spec.duration.expected, spec.duration.max)
    if spec.schedule is None:
        yield from names.job_name(name, spec, spec.shards.count, service=False)
    else:
        yield from names.cron_name(name, spec.shards.count)
        yield from _schedule(spec, spec.schedule)
    yield from jobs.artifact(spec.input, "input")
    if spec.model is not None:
        yield from weights.source(spec.model, "model")
        yield from jobs.tokens(spec.model, "model", spec.input, "input")
        yield from weights.memory(spec.model, spec, "model", spec.gpu.count)


def _failing_shards(spec: BatchInferenceSpec) -> Iterator[SpecViolation]:
    """Yield exit codes that fail a single shard although the first failure stops all shards."""
    if spec.shards.max_failed:
        return
    for code, action in spec.on_exit_code.items():
        if action == FAIL_SHARD:
            yield SpecViolation(
                f"`{FAIL_SHARD}` needs shards that may fail, but maxFailed is 0",
                ("spec", "onExitCode", code),
                "allow some: shards: {maxFailed: 3}"
                if spec.shards.count > 1
                else "write `fail-run`: there is one shard",
                needs=(_SHARDS,),
            )


def _shards(spec: BatchInferenceSpec) -> Iterator[SpecViolation]:
    shards = spec.shards
    needs = ((*_SHARDS, "count"),)
    if shards.parallelism and shards.parallelism > shards.count:
        message = f"parallelism {shards.parallelism} is above the number of shards, {shards.count}"
        yield SpecViolation(message, (*_SHARDS, "parallelism"), needs=needs)
    least, most = shards.min_parallelism, shards.parallelism
    if least is not None and spec.queue is None:
        yield SpecViolation(
            "`minParallelism` is for a queue, and there is no `queue`",
            (*_SHARDS, "minParallelism"),
            "name the queue, or delete it",
            key=True,
            needs=(("spec", "queue"),),
        )
    if least is not None and least >= (most or 0):
        yield SpecViolation(
            f"minParallelism {least} is not below parallelism"
            + (f" {most}" if most else ", which is not set"),
            (*_SHARDS, "minParallelism"),
            "the queue reduces `parallelism`, to one shard at least",
            needs=((*_SHARDS, "parallelism"),),
        )
    if shards.max_failed >= shards.count and shards.max_failed:
        message = f"all shards may fail: maxFailed is {shards.max_failed} of {shards.count}"
        yield SpecViolation(message, (*_SHARDS, "maxFailed"), needs=needs)


def _schedule(spec: BatchInferenceSpec, schedule: Schedule) -> Iterator[SpecViolation]:
    if reason := cron_problem(schedule.cron):
        yield SpecViolation(f"{shown(schedule.cron)}: {reason}", (*_SCHEDULE, "cron"))
    if schedule.time_zone not in time_zones():
        yield SpecViolation(
            f"{shown(schedule.time_zone)} is not a time zone",
            (*_SCHEDULE, "timeZone"),
            did_you_mean(schedule.time_zone, time_zones(), 0.8)
            or "write an IANA name such as Europe/Berlin or Etc/UTC",
        )
    if schedule.starting_deadline.seconds < LEAST_DEADLINE:
        yield SpecViolation(
            f"a startingDeadline of {schedule.starting_deadline} may skip every run",
            (*_SCHEDULE, "startingDeadline"),
            f"the controller checks every ten seconds: set at least {LEAST_DEADLINE}s",
        )
    if spec.run is not None:
        message = "`run` names a single run, but a schedule names its own"
        yield SpecViolation(message, ("spec", "run"), "delete it", key=True, needs=(_SCHEDULE,))
    if spec.fixed_name:
        message = "a CronJob keeps its name, and names its Jobs by their time"
        yield SpecViolation(
            message, ("spec", "fixedName"), "delete it", key=True, needs=(_SCHEDULE,)
        )
