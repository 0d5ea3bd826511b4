"""Restart and failure policies of a Job that exclude each other."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import JobSpec, job_specs
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU721",
    "job-policies",
    "error",
    "A Job's restart, completion and failure policies conflict",
    fix="unsafe",
)
_REFUSED = "the API server rejects the object"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield every Job that an object is, or makes."""
    for job in job_specs(obj):
        if items(job.pod.get("containers")):
            yield from _restart(job)
        yield from _index(job)
        yield from _replacement(job)
        yield from _rules(job)


def _at(job: JobSpec, *steps: str | int) -> Path:
    return (*job.path, *steps)


def _restart(job: JobSpec) -> Iterator[RawFinding]:
    """Check that `Never` is what failure policies need; nothing but it and `OnFailure` is a
    Job's."""
    if job.restart == "Never":
        return
    path = _at(job, "template", "spec", "restartPolicy")
    fix = set_field(path, "Never")
    if job.restart in ("", "Always"):
        predicate = "is `Always`" + (", the default for pods" if not job.restart else "")
        yield RawFinding(
            path,
            f"the `restartPolicy` of a Job's pods {predicate}: {_REFUSED}, and allows only "
            "`Never` or `OnFailure`",
            fix=fix,
        )
        return
    if job.restart != "OnFailure":
        return
    why = "" if job.pod.get("restartPolicy") else ", JobSet's default,"
    unseen = (
        f"with `OnFailure`{why} the kubelet restarts containers and the Job never sees them fail"
    )
    if job.value.get("podFailurePolicy") is not None:
        predicate = f"`podFailurePolicy` needs `restartPolicy: Never`; {unseen}: {_REFUSED}"
        yield RawFinding(path, predicate, fix=fix)
    elif job.value.get("backoffLimitPerIndex") is not None:
        # The server takes it, whatever the field's own description says.
        predicate = (
            f"`backoffLimitPerIndex` needs `restartPolicy: Never`; {unseen}, nor counts them"
        )
        yield RawFinding(path, predicate, fix=fix, severity="warning")


def _index(job: JobSpec) -> Iterator[RawFinding]:
    """Yield what counts by index, of a Job whose pods have none."""
    value = job.value
    if job.mode == "Indexed":
        # JobSet fills in as many completions as run at once, and a server 1 where nobody says of a
        # Job itself how many run at once.
        filled_in = job.in_jobset or (
            value.get("parallelism") is None and "jobTemplate" not in job.path
        )
        if value.get("completions") is None and not filled_in:
            yield RawFinding(
                _at(job, "completions"),
                f"`completionMode: Indexed` needs `completions`: {_REFUSED}",
                note="set `completions` to the number of pods",
            )
    else:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
            if value.get(field) is not None:
                yield RawFinding(
                    _at(job, field),
                    f"`{field}` is counted per index, but the Job's pods have no index: {_REFUSED}",
                    fix=Fix("give each pod an index", job.indexing()),
                )
                return
    if value.get("maxFailedIndexes") is not None and value.get("backoffLimitPerIndex") is None:
        yield RawFinding(
            _at(job, "maxFailedIndexes"),
            f"`maxFailedIndexes` needs `backoffLimitPerIndex`: {_REFUSED}",
            note="set `backoffLimitPerIndex` too, or remove `maxFailedIndexes`",
        )


def _replacement(job: JobSpec) -> Iterator[RawFinding]:
    replaced = job.value.get("podReplacementPolicy")
    if replaced == "TerminatingOrFailed" and job.value.get("podFailurePolicy") is not None:
        path = _at(job, "podReplacementPolicy")
        yield RawFinding(
            path,
            f"`podReplacementPolicy` must be `Failed` if `podFailurePolicy` is set: {_REFUSED}",
            fix=set_field(path, "Failed"),
        )


def _rules(job: JobSpec) -> Iterator[RawFinding]:
    rules = items(mapping(job.value.get("podFailurePolicy")).get("rules"))
    if not rules:
        return
    names = [text(mapping(container).get("name")) for container in items(job.pod.get("containers"))]
    names += [
        text(mapping(init_container).get("name"))
        for init_container in items(job.pod.get("initContainers"))
    ]
    for index, rule_value in enumerate(rules):
        rule, path = mapping(rule_value), _at(job, "podFailurePolicy", "rules", index)
        codes, conditions = mapping(rule.get("onExitCodes")), items(rule.get("onPodConditions"))
        if bool(codes) == bool(conditions) and rule:
            both_or_neither = "both" if codes else "neither"
            yield RawFinding(
                path,
                "a rule needs exactly one of `onExitCodes` and `onPodConditions`, but this rule "
                f"{both_or_neither}: {_REFUSED}",
                note="keep either `onExitCodes` or `onPodConditions` in each rule",
            )
        if rule.get("action") == "FailIndex" and job.value.get("backoffLimitPerIndex") is None:
            yield RawFinding(
                (*path, "action"),
                f"`FailIndex` needs `backoffLimitPerIndex`: {_REFUSED}",
                note="set `backoffLimitPerIndex` too, or use the action `FailJob`",
            )
        if codes.get("operator") == "In" and 0 in items(codes.get("values")):
            yield RawFinding(
                (*path, "onExitCodes", "values"),
                f"exit code 0 is a success and may not be among `values`: {_REFUSED}",
                note="remove 0 from `values`",
            )
        name = text(codes.get("containerName"))
        if name and names and name not in names:
            yield RawFinding(
                (*path, "onExitCodes", "containerName"),
                f"the pod has no container `{name}`: {_REFUSED}",
                note="write the name of one of the pod's containers",
            )
