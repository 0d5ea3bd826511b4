"""A queue that does not exist."""

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.reading.neighbours import are_neighbours
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, Label, local_queues, queue_of

RULE = Rule(
    "GPU711",
    "no-such-queue",
    "error",
    "The queue does not exist or does not serve the namespace",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield unknown queues: certain with a profile that lists its queues, else by the
    LocalQueues of the set."""
    label = queue_of(obj)
    if label is None:
        return
    if context.collection.named(KUEUE, "LocalQueue", label.queue, obj.namespace) is not None:
        return
    queues = context.queues
    if queues:
        queue_names = [queue.name for queue in queues if obj.namespace in ("", *queue.namespaces)]
        if label.queue not in queue_names:
            yield _unknown(obj, label, queue_names, context)
        return
    yield from _in_set(obj, label, context)


def _unknown(obj: Object, label: Label, queue_names: list[str], context: Context) -> RawFinding:
    space = f" for namespace `{obj.namespace}`" if obj.namespace else ""
    profile = context.profile.name if context.profile is not None else ""
    return RawFinding(
        label.path,
        f"the workload stays suspended: profile `{profile}` has no queue `{label.queue}`{space}",
        note=f"write {choice_of(queue_names)}"
        if queue_names
        else f"add a queue{space} to the profile",
    )


def _advice(queue: str, names: list[str]) -> str:
    """Return what to write: of several queues, most are for other teams or other GPUs."""
    closest_name = names[0] if len(names) == 1 else near(queue, names)
    if closest_name is not None:
        return f"write `{closest_name}`"
    return f"create LocalQueue `{queue}`, or name the one for this team and these GPUs: {choice_of(names)}"


def _in_set(obj: Object, label: Label, context: Context) -> Iterator[RawFinding]:
    local_queue = context.collection.named(KUEUE, "LocalQueue", label.queue)
    local = local_queues(context.collection, obj.namespace)
    if any(blank_name(queue.name) for queue in local):
        return  # what fills in its name may make it this one's
    if local_queue is not None and obj.namespace:
        yield RawFinding(
            label.path,
            f"the workload stays suspended: LocalQueue `{label.queue}` is in namespace "
            f"`{local_queue.namespace}`, but the workload is in `{obj.namespace}`",
            note=f"create a LocalQueue in namespace `{obj.namespace}`, or move the object to `{local_queue.namespace}`",
            severity="warning",
            confidence="likely",
            related=(RelatedPlace(local_queue.number, local_queue.path("metadata"), "the queue"),),
        )
    elif local_queue is None and any(
        queue.namespace == obj.namespace not in ("", "default")
        or are_neighbours(queue, obj, context.collection)
        for queue in local
    ):
        yield RawFinding(
            label.path,
            f"the workload stays suspended: no LocalQueue in these files is named `{label.queue}`",
            note=_advice(label.queue, sorted({queue.name for queue in local})),
            severity="warning",
            confidence="likely",
        )
