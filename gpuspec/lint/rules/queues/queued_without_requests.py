"""A queued pod without requests, which counts as nothing."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.queues import queue_of
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU716",
    "queued-without-requests",
    "warning",
    "A queued workload requests no resources and is admitted without quota",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects with a queue whose pods all have no requests."""
    label = queue_of(obj)
    pods = [pod for pod in obj.pods if pod.containers]
    if label is None or not pods or not all(map(is_whole, pods)):
        return
    if any(_asks(pod) for pod in pods) or _is_filled_in(obj, context):
        return
    container = pods[0].containers[0]
    yield RawFinding(
        container.path("resources"),
        "the workload requests nothing, so Kueue admits it at once and assigns no flavor: its "
        "pods run on any node, without the flavor's selector and tolerations",
        note="set `requests` of CPU and memory, and the GPU in `limits`",
        confidence="likely",
    )


def _asks(pod: Pod) -> bool:
    whole = mapping(pod.spec.get("resources"))
    if mapping(whole.get("requests")) or mapping(whole.get("limits")) or pod.claims:
        return True
    # What is there in another form is no empty request.
    return any(
        container.requests or container.limits or container.resources.get("claims")
        for container in pod.every
    )


def _is_filled_in(obj: Object, context: Context) -> bool:
    """Return whether a LimitRange of the namespace has defaults."""
    return any(
        mapping(row).get("default") or mapping(row).get("defaultRequest")
        for limits in context.collection.within("", "LimitRange", obj.namespace)
        for row in items(limits.spec.get("limits"))
    )
