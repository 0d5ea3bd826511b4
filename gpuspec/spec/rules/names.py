"""Rules for names of objects made from a workload, which must be valid with their suffixes."""

from collections.abc import Iterator

from gpuspec.manifests import Path, dns_1035_label
from gpuspec.numbers import is_digits
from gpuspec.spec.jobs import BatchInferenceSpec, TrainingFields
from gpuspec.spec.layout import LONGEST, PLACEHOLDER_SUFFIX, UNNAMED
from gpuspec.spec.rules.violation import SpecViolation

# The CronJob controller appends `-` and ten digits (minutes) to a Job's name.
CRON_SUFFIX = 11
_NAME: Path = ("metadata", "name")
_FIXED: Path = ("spec", "fixedName")
_SERVICE: Path = ("spec", "expose", "name")


def service_name(name: str, service: str | None, warm: int) -> Iterator[SpecViolation]:
    """Yield violations of a model server's name, which names a Service and its placeholder, if
    there is one."""
    yield from _starts_with_a_letter(name) if service is None else _letter(service, _SERVICE)
    room = LONGEST - (len(PLACEHOLDER_SUFFIX) if warm else 0)
    if len(name) > room:
        yield SpecViolation(
            f"the name has {len(name)} characters, {len(name) - room} too many",
            _NAME,
            f"its placeholder is named <name>{PLACEHOLDER_SUFFIX}, at most {LONGEST} characters",
            needs=(("spec", "warm"),),
        )


def job_name(
    name: str, spec: TrainingFields | BatchInferenceSpec, indexes: int | None, *, service: bool
) -> Iterator[SpecViolation]:
    """Yield violations of a Job's name, `<name>-<run or digest>` or the fixed one, which is a label
    of its pods.

    `indexes`: the number of an Indexed Job's pods, which have the host names `<job>-<index>`.
    `service`: whether a headless Service has the Job's name too.
    """
    run = spec.run
    if service:
        yield from _starts_with_a_letter(name)
    if spec.fixed_name and run is not None:
        message = "`run` names a single run, but `fixedName` gives all runs the workload's name"
        yield SpecViolation(
            message, ("spec", "run"), "delete one of them", key=True, needs=(_FIXED,)
        )
    suffix_of_run = "" if spec.fixed_name else f"-{run if run is not None else UNNAMED}"
    job = f"{name}{suffix_of_run}"
    suffix = _index_suffix(indexes)
    over = len(job) + suffix - LONGEST
    if over <= 0:
        return
    behind = suffix_of_run and ("-<run>" if run is not None else "-<digest>")
    shape = f"<name>{behind}" + ("-<index>" if suffix else "")
    limited_name = "its pods' host names" if suffix else "the Job's name, a label of its pods,"
    yield SpecViolation(
        f"the Job's name has {len(job)} characters, {over} too many",
        ("spec", "run") if behind == "-<run>" else _NAME,
        f"{limited_name} {'are' if suffix else 'is'} {shape}, at most {LONGEST} characters",
        needs=(_NAME, ("spec", "run"), _FIXED, ("spec", "workers"), ("spec", "shards", "count")),
    )


def cron_name(name: str, indexes: int) -> Iterator[SpecViolation]:
    """Yield violations of a CronJob's name; its Jobs are named `<name>-<ten digits>`, and are
    Indexed."""
    room = LONGEST - CRON_SUFFIX - _index_suffix(indexes)
    if len(name) > room:
        yield SpecViolation(
            f"the name has {len(name)} characters, {len(name) - room} too many",
            _NAME,
            "a CronJob's pods have the host names <name>-<ten digits>-<index>, at most "
            f"{LONGEST} characters",
            needs=(("spec", "schedule"), ("spec", "shards", "count")),
        )


def _index_suffix(indexes: int | None) -> int:
    return 0 if indexes is None else len(f"-{indexes - 1}")


def _starts_with_a_letter(name: str) -> Iterator[SpecViolation]:
    yield from _letter(name, _NAME)


def _letter(name: str, path: Path) -> Iterator[SpecViolation]:
    if dns_1035_label(name) and is_digits(name[:1]):
        yield SpecViolation(
            f'"{name}" starts with a digit',
            path,
            "a Service is named after it, and its name must start with a letter",
        )
