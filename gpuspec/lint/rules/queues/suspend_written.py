"""`suspend` set together with a queue, so that GitOps resets it again and again."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import synced_by
from gpuspec.lint.analysis.serving.applications import application_of, ignored
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import queue_of

RULE = Rule(
    "GPU718",
    "suspend-written",
    "warning",
    "`suspend: true` is set on a queued object, so each sync suspends it again",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield queued objects that a GitOps tool applies with a field that belongs to Kueue."""
    tool = synced_by(obj)
    queueing = obj.traits.queueing
    if tool is None or queueing is None or queue_of(obj) is None:
        return
    if at(obj.value, queueing.suspend) is not True:
        return
    app = application_of(obj, context.collection)
    if app is not None and ignored(obj, ".".join(map(str, queueing.suspend)), app):
        return
    path = obj.path(*queueing.suspend)
    yield RawFinding(
        path,
        f"Kueue sets `suspend` to false when it admits the workload, and {tool} resets "
        "`suspend` to true: each sync stops the running pods",
        note="remove `suspend`: Kueue suspends the object on creation",
        fix=Fix("leave `suspend` to Kueue", (Drop(path),)),
        confidence="likely",
    )
