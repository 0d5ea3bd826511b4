"""Pods that only work together, and nothing that starts them together."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.kinds import an
from gpuspec.kinds.owned import QUEUE
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.gangs import Gang, gang_of, is_held
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, configuration, local_queues
from gpuspec.objects.references import labels_at
from gpuspec.objects.runtimes import GROUP, runtime_of

RULE = Rule(
    "GPU701",
    "no-gang",
    "warning",
    "Pods that only work together are not started together by a gang or queue",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects of several pods with accelerators that have no mark of a gang or of a queue."""
    gang = gang_of(obj)
    if gang is None or is_held(obj, gang.pods) or _is_queued_anyway(obj, context):
        return
    if obj.is_a(GROUP, "TrainJob"):
        if not _runtime_lets_go(obj, context):
            return
    elif obj.traits.completed:
        return
    elif (obj.group == "ray.io" and obj.traits.life != "finite") or _grows(obj):
        # What a Ray cluster runs may do with fewer workers.
        return
    yield RawFinding(
        _place(obj, gang),
        f"{_pods(obj, gang)} only work together, but {_nothing(obj)} starts them together: two "
        "such workloads can each hold some of the GPUs and wait for the rest forever",
        note=_note(obj),
        fix=_fix(obj, context),
        severity="info" if obj.traits.gangs_for else None,
        confidence="possible" if obj.traits.gangs_for else "likely",
    )


def _nothing(obj: Object) -> str:
    return "no named scheduler" if obj.traits.gangs_for else "nothing"


def _pods(obj: Object, gang: Gang) -> str:
    whole = f" ({counted(gang.gpus, 'GPU')} in total)" if gang.gpus else ""
    roles = list(dict.fromkeys(pod.role.name for pod in gang.pods))
    if obj.traits.together and len(roles) > 1:
        # One pod of each may be enough.
        names = " and ".join(f"`{name}`" for name in roles)
        return f"roles {names}{whole}"
    return f"{gang.count} pods{whole}"


def _is_queued_anyway(obj: Object, context: Context) -> bool:
    """Return whether Kueue takes objects that name no queue: to a LocalQueue `default`, or all of
    them."""
    ours = configuration(context.collection)
    if ours is not None and ours.every_job:
        return True
    objects = context.collection.all_named(KUEUE, "LocalQueue", "default", obj.namespace)
    return any(queue.namespace == obj.namespace for queue in objects)


def _runtime_lets_go(obj: Object, context: Context) -> bool:
    """Return whether a TrainJob's runtime is in the set, and sets no gang scheduling."""
    runtime = runtime_of(obj, context.collection)
    return runtime is not None and not runtime.spec.get("podGroupPolicy")


def _grows(obj: Object) -> bool:
    """Return whether it starts with fewer and takes more as they come."""
    if obj.spec.get("elasticPolicy"):
        return True
    ray = mapping(obj.spec.get("rayClusterSpec"))
    groups = items(ray.get("workerGroupSpecs"))
    return obj.group == "ray.io" and (ray.get("enableInTreeAutoscaling") is True or not groups)


def _place(obj: Object, gang: Gang) -> Path:
    """Return the path at which gang scheduling is configured."""
    if obj.traits.gangs_for:
        return gang.pods[0].path("schedulerName")
    for field in obj.traits.together:
        return obj.path(*field.split("."))
    return obj.path(*labels_at(obj), QUEUE)


def _note(obj: Object) -> str:
    if schedulers := obj.traits.gangs_for:
        advice = " or ".join(f"`schedulerName: {scheduler}`" for scheduler in schedulers)
        return (
            f"name a scheduler that supports gangs ({advice}), unless the controller's settings "
            f"name one: the controller of {an(obj.kind)} then creates the gang"
        )
    for field in obj.traits.together:
        return (
            f"set `{field}`, from which the controller creates the PodGroup of a gang scheduler: "
            f"Kueue has no integration for {an(obj.kind)}"
        )
    advice = f"add the label `{QUEUE}` (Kueue admits all or none), or use the PodGroup of a gang scheduler"
    if obj.traits.queueing is not None and (name := obj.traits.queueing.off_as):
        return f"{advice}: Kueue manages {an(obj.kind)} only when its configuration lists `{name}`"
    return advice


def _fix(obj: Object, context: Context) -> Fix | None:
    """Return the queue, where there is only one that it can be."""
    if obj.traits.together or obj.traits.gangs_for:
        return None
    names = {queue.name for queue in local_queues(context.collection, obj.namespace)}
    for queue in context.queues:
        if not obj.namespace or obj.namespace in queue.namespaces:
            names.add(queue.name)
    if len(names) != 1:
        return None
    name = names.pop()
    queue_put = Put(obj.path(*labels_at(obj), QUEUE), name)
    return Fix(f"wait in the queue `{name}`", (queue_put,))
