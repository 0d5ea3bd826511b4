"""Resources that a queued pod requests, and for which its queue has no quota."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.queues import (
    Label,
    cluster_queue,
    configuration,
    covered,
    queue_of,
)

RULE = Rule(
    "GPU712",
    "queue-does-not-cover",
    "error",
    "A queue has no quota for a resource that a pod requests",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield requests that the ClusterQueue of the set behind the label, or the profile's queue,
    does not cover."""
    label = queue_of(obj)
    if label is None:
        return
    ours = configuration(context.collection)
    if ours is not None and ours.uncovered:
        return
    left_out = () if ours is None else ours.left_out
    queue = cluster_queue(context.collection, label.queue, obj)
    if queue is not None:
        has = covered(queue)
        related = (RelatedPlace(queue.number, queue.path("spec", "resourceGroups"), "its quota"),)
        for pod in obj.pods:
            yield from _uncovered(pod, has, left_out, f"ClusterQueue `{queue.name}`", related)
    else:
        yield from _by_profile(obj, label, context)


def _uncovered(
    pod: Pod,
    has: set[str],
    left_out: tuple[str, ...],
    queue: str,
    related: tuple[RelatedPlace, ...] = (),
) -> Iterator[RawFinding]:
    reported: set[str] = set()
    for container in pod.every:
        if container.stage == "ephemeral":
            continue
        for name in _asked(container):
            if name in has or name in reported or _is_counted_otherwise(name, has, left_out):
                continue
            reported.add(name)
            where = "requests" if name in container.requests else "limits"
            yield RawFinding(
                container.path(container.resources_at, where, name),
                f"Kueue never admits the workload: it requests `{name}`, but {queue} has no quota "
                "for this resource",
                note=f"add `{name}` to the queue, which covers "
                f"{names(sorted(has)) if has else 'nothing'}, or remove the request",
                related=related,
            )


def _is_counted_otherwise(name: str, has: set[str], left_out: tuple[str, ...]) -> bool:
    """Return whether Kueue excludes a resource; GPU shares are counted separately."""
    if left_out and name.startswith(left_out):
        return True
    part = name.rpartition("/")[2]
    return (
        "gpu" in part
        and not hardware.is_gpu_resource(name)
        and any(part in resource_name for resource_name in has)
    )


def _asked(container: PodContainer) -> list[str]:
    """Return the resources that a container requests, above zero; a limit alone is a request too."""
    resource_names = dict.fromkeys((*container.requests, *container.limits))
    return [
        name
        for name in resource_names
        if isinstance(name, str) and (amount := container.amount(name)) and amount.value > 0
    ]


def _by_profile(obj: Object, label: Label, context: Context) -> Iterator[RawFinding]:
    """Yield only accelerators: the rest follows from the pools' share."""
    from gpuspec.fleet import advertised
    from gpuspec.spec import find_queue, model_of

    queue = find_queue(context.queues, label.queue, obj.namespace)
    if queue is None or not queue.pools or context.cluster is None:
        return
    pools = {entry.pool for entry in queue.pools}
    has: set[str] = set()
    for pool in context.cluster.pools:
        if pool.name in pools:
            has |= {*advertised(pool, model_of(pool))}
    for pod in obj.pods:
        for container in pod.gpu_containers:
            for device in container.devices:
                if device.name not in has and device.count:
                    yield RawFinding(
                        device.path,
                        f"Kueue never admits the workload: queue `{label.queue}` of the profile "
                        f"has no pool with `{device.name}`",
                        note=f"request {choice_of(sorted(has))}, or name another queue",
                    )
