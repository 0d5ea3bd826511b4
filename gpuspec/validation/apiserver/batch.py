"""Jobs and cron jobs.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/batch/validation/validation.go, and the defaults
of pkg/registry/batch/job/strategy.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import dns_label
from gpuspec.validation.apiserver import selectors
from gpuspec.validation.apiserver.indexes import IndexListError, counted
from gpuspec.validation.apiserver.reading import inner, maps, refused
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LABELS = ("spec", *selectors.LABELS)
_POLICY = ("template", "spec", "restartPolicy")
_NAMES = ("job-name", "batch.kubernetes.io/job-name")
_UIDS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_MANY, _MOST = 10_000, 100_000
"""The most characters of a Job's list of indexes, with and without many completions."""


def job(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the server makes a Job's selector and labels, or that all of them are the user's
    own.
    """
    spec, name = inner(value, "spec"), inner(value, "metadata").get("name")
    labels = inner(value, *_LABELS)
    if spec.get("manualSelector"):
        if spec.get("selector") is None:
            yield refused(
                ("spec", "selector"), "it is missing, but `manualSelector: true` needs it"
            )
        elif violation := selectors.of_template(spec):
            yield placed(("spec",), violation)
    elif name:
        made = {**dict.fromkeys(_NAMES, name), **dict.fromkeys(_UIDS, "…")}
        if not selectors.matches(inner(spec, "selector"), made):
            yield refused(
                ("spec", "selector"),
                "the API server makes the selector of a Job",
                "delete it; `manualSelector: true` would keep it",
            )
        for label, right in made.items():
            if label in labels and labels[label] != right:
                yield refused(
                    (*_LABELS, label), "the API server writes this label itself", "delete it"
                )
    if spec.get("completionMode") == "Indexed" and _completions(spec) is None:
        yield _uncounted()
    if name and spec.get("completionMode") == "Indexed" and (spec.get("completions") or 0) > 0:
        host = f"{name}-{spec['completions'] - 1}"
        if problem := dns_label(host):
            yield refused(("metadata", "name"), f"the last pod's host name `{host}` {problem}")


def job_spec(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check how a Job ends."""
    if spec.get("completionMode") == "Indexed":
        yield from _indexed(spec)
    if (
        spec.get("maxFailedIndexes") is not None
        and spec.get("backoffLimitPerIndex") is None
        and spec.get("completionMode") == "Indexed"
    ):
        yield refused(("backoffLimitPerIndex",), "it is missing, but `maxFailedIndexes` needs it")
    if spec.get("podFailurePolicy") is not None:
        yield from _failure(spec)
    yield from _restarts(spec)


def exit_codes(codes: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that exit codes are in order, and that no rule is for success."""
    values = [value or 0 for value in codes.get("values") or ()]
    if codes.get("operator") == "In" and 0 in values:
        yield refused(
            ("values", values.index(0)), "no rule can be for exit code 0, which is success"
        )
    if values != sorted(values):
        yield refused(
            ("values",), "the values must be in ascending order", f"write {sorted(values)}"
        )


def cron_job_spec(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a schedule occurs, in a time zone that exists."""
    from gpuspec.manifests.schedules import cron_unread, time_zones

    schedule, zone = spec.get("schedule"), spec.get("timeZone")
    if schedule and (problem := cron_unread(schedule)):
        yield refused(("schedule",), problem)
    # Go's time.LoadLocation reads the server's own tzdata, which has every zone in these folders too.
    if zone is not None and zone.removeprefix("posix/").removeprefix("right/") not in time_zones():
        from gpuspec.validation.values import closest

        hint = closest(zone, time_zones()) or "write an IANA name such as Europe/Berlin or Etc/UTC"
        yield refused(("timeZone",), f"`{zone}` is not a time zone", hint)


def job_template(template: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the Jobs of a CronJob leave their selectors to the server."""
    spec = inner(template, "spec")
    if spec.get("selector") is not None:
        yield refused(
            ("spec", "selector"), "the API server makes the selector of a Job", "delete it"
        )
    if spec.get("manualSelector"):
        yield refused(("spec", "manualSelector"), "it cannot be true in a CronJob")
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        yield _uncounted()


def _completions(spec: Map) -> int | None:
    """Return how many pods complete a Job: one, if neither `completions` nor `parallelism` is set."""
    alone = spec.get("completions") is None and spec.get("parallelism") is None
    return 1 if alone else spec.get("completions")


def _uncounted() -> SchemaViolation:
    message = "it is missing, but `completionMode: Indexed` needs it"
    return refused(("spec", "completions"), message)


def _indexed(spec: Map) -> Iterator[SchemaViolation]:
    completions, parallelism = _completions(spec), spec.get("parallelism") or 0
    failed = spec.get("maxFailedIndexes")
    is_large = (completions or 0) > _MOST and spec.get("backoffLimitPerIndex") is not None
    most = _MANY if is_large else _MOST
    if parallelism > most:
        yield refused(("parallelism",), f"expected at most {most}, not {parallelism}")
    if failed is None and is_large:
        message = f"it is missing, but more than {_MOST} `completions` need it"
        yield refused(("maxFailedIndexes",), message)
    elif failed is not None and failed > (right := min(most, completions or 0)):
        yield refused(("maxFailedIndexes",), f"expected at most {right}, not {failed}")
    for number, rule in maps(inner(spec, "successPolicy"), "rules"):
        for violation in _success(rule, completions or 0):
            yield placed(("successPolicy", "rules", number), violation)


def _success(rule: Map, completions: int) -> Iterator[SchemaViolation]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        yield refused((), "one of `succeededCount` and `succeededIndexes` must be set")
    if indexes is not None:
        try:
            total = counted(indexes, completions)
        except IndexListError as error:
            yield refused(("succeededIndexes",), str(error))
            return
        if count is not None and count > total:
            yield refused(
                ("succeededCount",), f"expected at most {total}, the number of `succeededIndexes`"
            )
    if count is not None and count > completions:
        yield refused(
            ("succeededCount",), f"expected at most `completions`, which is {completions}"
        )


def _failure(spec: Map) -> Iterator[SchemaViolation]:
    pod = inner(spec, "template", "spec")
    names = {
        container.get("name")
        for list_ in ("containers", "initContainers")
        for _, container in maps(pod, list_)
    }
    for number, rule in maps(inner(spec, "podFailurePolicy"), "rules"):
        path = ("podFailurePolicy", "rules", number)
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield refused((*path, "action"), "`FailIndex` needs `spec.backoffLimitPerIndex`")
        name = inner(rule, "onExitCodes").get("containerName")
        if name is not None and name not in names:
            yield refused(
                (*path, "onExitCodes", "containerName"), f"the pods have no container `{name}`"
            )
    if spec.get("podReplacementPolicy") == "TerminatingOrFailed":
        yield refused(
            ("podReplacementPolicy",), "expected `Failed`, because `podFailurePolicy` is set"
        )


def _restarts(spec: Map) -> Iterator[SchemaViolation]:
    policy = inner(spec, *_POLICY[:-1]).get("restartPolicy")
    if not policy:
        message = "it is missing: write `Never` or `OnFailure`, since pods with `Always` never end"
        yield refused(_POLICY, message)
    elif policy == "Always":
        yield refused(_POLICY, "expected `Never` or `OnFailure`, not `Always`")
    elif policy == "OnFailure" and spec.get("podFailurePolicy") is not None:
        yield refused(
            _POLICY, "expected `Never`, because `podFailurePolicy` is set", expected="Never"
        )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "batch.v1.CronJobSpec": (cron_job_spec,),
    "batch.v1.Job": (job,),
    "batch.v1.JobSpec": (job_spec,),
    "batch.v1.JobTemplateSpec": (job_template,),
    "batch.v1.PodFailurePolicyOnExitCodesRequirement": (exit_codes,),
}
