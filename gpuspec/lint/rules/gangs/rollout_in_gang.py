"""A Deployment whose new pods are a gang that the rollout, or the Deployment, never makes full."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.rollouts import first_new, gang_of_new
from gpuspec.lint.analysis.serving.rollout import most_replicas_of, replacing
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.gangs import MIN_MEMBER
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU411",
    "rollout-in-gang",
    "error",
    "A rollout creates fewer pods at a time than their gang requires",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Compare the gang of a new ReplicaSet with the pods that the Deployment, and a rollout at
    first, creates."""
    least = gang_of_new(obj)
    if least is None:
        return
    most = most_replicas_of(obj, context.collection)
    if 0 < most < least:
        path = obj.path("metadata", "annotations", MIN_MEMBER)
        fix = set_field(path, str(most))
        message = f"`{MIN_MEMBER}` is {least}, but there are {most} pods: the pods stay Pending"
        yield RawFinding(path, message, fix=fix)
        return
    how = replacing(obj, context.collection)
    if how is None or how.replicas < least or first_new(how) >= least:
        return
    step = first_new(how)
    created = (
        f"{step} new pod{'s' if step > 1 else ''} at first, and waits for "
        f"{'them' if step > 1 else 'it'}"
    )
    path = how.strategy
    yield RawFinding(
        path,
        f"a rollout creates {created}: the gang of the new ReplicaSet needs {least}, so no new pod "
        "starts and the rollout hangs",
        note="set `maxSurge: 100%`, which creates all new pods at once and needs twice the GPUs, or "
        "`type: Recreate`, which stops the old pods first",
        fix=set_field((*path, how.rolling, "maxSurge"), "100%"),
    )
