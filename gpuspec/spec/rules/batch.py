"""Batch inference."""

import zoneinfo
from collections.abc import Iterator

from gpuspec.manifests import dns_label
from gpuspec.spec.jobs import BatchInferenceSpec, Schedule
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.devices import memory_problem
from gpuspec.spec.rules.training import exit_codes, job_name, model_source, run_time
from gpuspec.spec.schedule import cron_problem

# The CronJob controller appends `-` and ten digits to a Job's name.
CRON_NAME_LIMIT = 52


def problems(name: str, spec: BatchInferenceSpec) -> Iterator[Broken]:
    """Broken rules of batch inference."""
    shards = spec.shards
    if shards.parallelism and shards.parallelism > shards.count:
        yield Broken(
            f"parallelism {shards.parallelism} is above the {shards.count} shards",
            ("spec", "shards", "parallelism"),
        )
    if shards.max_failed > shards.count:
        yield Broken(
            f"maxFailed {shards.max_failed} is above the {shards.count} shards",
            ("spec", "shards", "maxFailed"),
        )
    yield from exit_codes(spec.fail_on_exit_codes, ("spec", "failOnExitCodes"))
    yield from run_time(spec.duration.expected, spec.duration.max)
    if spec.schedule is None:
        yield from job_name(name, spec.run, shards.count)
    else:
        yield from _schedule(name, spec, spec.schedule)
    if spec.input is not None:
        yield from exactly_one(spec.input, ("pvc", "image"), ("spec", "input"), "the input")
    if spec.model is not None:
        yield from model_source(spec.model, "model")
        if spec.model.size:
            path = ("spec", "model", "size")
            yield from memory_problem(spec.model.size, spec, spec.gpu.count, path)


def _schedule(name: str, spec: BatchInferenceSpec, schedule: Schedule) -> Iterator[Broken]:
    if reason := cron_problem(schedule.cron):
        yield Broken(f'"{schedule.cron}": {reason}', ("spec", "schedule", "cron"))
    if schedule.time_zone not in zoneinfo.available_timezones():
        yield Broken(
            f'"{schedule.time_zone}" is no time zone',
            ("spec", "schedule", "timeZone"),
            "write an IANA name such as Europe/Berlin or Etc/UTC",
        )
    if schedule.starting_deadline.seconds < 10:
        # The CronJob controller looks every ten seconds: a shorter deadline can miss every run.
        yield Broken(
            f"startingDeadline {schedule.starting_deadline} may skip every run",
            ("spec", "schedule", "startingDeadline"),
            "the controller looks every ten seconds",
        )
    if spec.run is not None:
        yield Broken("a schedule names its own runs", ("spec", "run"), "delete `run`")
    if len(name) > CRON_NAME_LIMIT or dns_label(name):
        over = len(name) - CRON_NAME_LIMIT
        yield Broken(
            f"the name has {len(name)} characters, {over} too many for a CronJob",
            ("metadata", "name"),
            f"a CronJob appends eleven characters: {CRON_NAME_LIMIT} at most",
        )
