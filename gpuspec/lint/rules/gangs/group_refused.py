"""A JobSet or LeaderWorkerSet that its webhook refuses."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.numbers import read_percent
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU743",
    "group-refused",
    "error",
    "A JobSet or LeaderWorkerSet is rejected for its startup order or rollout",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield fields that the two webhooks reject."""
    if obj.kind == "JobSet":
        yield from _jobset(obj)
    else:
        yield from _lws(obj)


def _jobset(obj: Object) -> Iterator[RawFinding]:
    jobs = [mapping(replicated_job) for replicated_job in items(obj.spec.get("replicatedJobs"))]
    before: set[str] = set()
    ordered = mapping(obj.spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
    for index, job in enumerate(jobs):
        path, name = obj.path("spec", "replicatedJobs", index), text(job.get("name"))
        depends = items(job.get("dependsOn"))
        if depends and (index == 0 or ordered):
            why = (
                "on the first job, which has no job to wait for"
                if index == 0
                else "with `startupPolicy`, which already orders the jobs"
            )
            yield RawFinding(
                (*path, "dependsOn"),
                f"`dependsOn` is not allowed {why}: JobSet rejects the object",
                note="remove `dependsOn`",
            )
        elif unknown := [
            dependency for dependency in map(_name_of, depends) if dependency not in before
        ]:
            yield RawFinding(
                (*path, "dependsOn"),
                f"`{name}` depends on `{unknown[0]}`, which is not among the jobs before it: "
                "JobSet's webhook rejects the object",
                note=f"list `{unknown[0]}` before `{name}`, or remove the dependency",
            )
        before.add(name)
    targets = items(mapping(obj.spec.get("successPolicy")).get("targetReplicatedJobs"))
    for index, target in enumerate(targets):
        if isinstance(target, str) and target not in before:
            yield RawFinding(
                obj.path("spec", "successPolicy", "targetReplicatedJobs", index),
                f"no job is named `{target}`: JobSet's webhook rejects the object",
                note="write the name of a job of this JobSet",
            )


def _name_of(value: object) -> str:
    return text(mapping(value).get("name"))


def _share(value: object, groups: int) -> int | None:
    """Return a number, or a percentage of the groups rounded down; 1 if not set."""
    percent = read_percent(value)
    return whole(value, 1) if percent is None else percent * groups // 100


def _lws(obj: Object) -> Iterator[RawFinding]:
    inside = ("spec", "rolloutStrategy", "rollingUpdateConfiguration")
    rolling = mapping(at(obj.value, inside))
    replicas = whole(obj.spec.get("replicas"), 1)
    more, less = rolling.get("maxSurge", 0), rolling.get("maxUnavailable")
    # Of what is more than there are a share is rounded up: only that of nothing is none.
    is_none = more in (0, None) or read_percent(more) == 0
    if replicas and is_none and _share(less, replicas) == 0:
        yield RawFinding(
            obj.path(*inside, "maxUnavailable"),
            "`maxSurge` and `maxUnavailable` are both 0, so no group can be replaced: the "
            "LeaderWorkerSet webhook rejects the object",
            note="set `maxUnavailable: 1`",
        )
    template = mapping(obj.spec.get("leaderWorkerTemplate"))
    size, part = (
        1 if template.get("size") is None else template["size"],
        mapping(template.get("subGroupPolicy")).get("subGroupSize"),
    )
    if not isinstance(size, int) or not isinstance(part, int) or part < 1 or size < 1:
        return
    if part > size or (size % part and (size - 1) % part):
        yield RawFinding(
            obj.path("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"),
            f"groups of {size} pods cannot be divided into subgroups of {part}: the "
            "LeaderWorkerSet webhook rejects the object",
            note=f"set a subgroup size that divides {size}",
        )
