"""Replicas that are ended while requests still come to them."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.rollout import most_replicas_of
from gpuspec.lint.analysis.serving.selecting import asking
from gpuspec.lint.analysis.serving.servers import answers, gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU510",
    "no-drain",
    "warning",
    "A replica is stopped while it still receives requests",
    fix="unsafe",
)
DEFAULT_GRACE = 30
"""Seconds: `terminationGracePeriodSeconds` when unset."""
LONGEST = 120
"""Seconds that a long answer is given in the fix."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers of several replicas without a `preStop`."""
    owner = pod.object
    if not owner.traits.as_written or owner.is_a("", "Pod") or not answers(pod):
        return
    bare = [gpu_worker for gpu_worker in gpu_workers(pod) if not _has_hook(gpu_worker)]
    if not bare or most_replicas_of(owner, context.collection) < 2:
        return
    served = asking(pod, context.collection) is not None
    moved = scalers_of(owner, context.collection)
    why = f"{moved[0]} removes a replica" if moved else "a rollout or a drain stops a replica"
    for container in bare:
        server = server_of(container)
        if server is None and not (served and container.ports):
            continue
        unset = pod.spec.get("terminationGracePeriodSeconds") is None
        wait = runtimes.common().withdrawal.seconds
        cut = f", and answers of more than {DEFAULT_GRACE} s are cut off" if unset else ""
        if server is not None and _aborts(container, server):
            cut = f", and {server.title} cuts off running answers"
        changes: list[Change] = [
            Put(container.path("lifecycle", "preStop"), {"sleep": {"seconds": wait}})
        ]
        if unset:
            changes.append(Put(pod.path("terminationGracePeriodSeconds"), wait + LONGEST))
        yield RawFinding(
            container.path("lifecycle", "preStop"),
            f"the container has no `preStop` hook: when {why}, requests in the first "
            f"seconds after SIGTERM fail{cut}",
            note=_note(container, server),
            confidence="likely",
            fix=Fix(f"wait {wait} s before SIGTERM", tuple(changes)),
        )


def _has_hook(container: PodContainer) -> bool:
    lifecycle = container.value.get("lifecycle")
    return isinstance(lifecycle, dict) and lifecycle.get("preStop") is not None


def _aborts(container: PodContainer, server: Runtime) -> bool:
    """Return whether SIGTERM ends running requests at once: nothing tells the server to finish them."""
    drain = server.shutdown.drain
    finishes = drain is not None and container.words.flag(*drain.flags) is not None
    return server.shutdown.aborts and not finishes


def _note(container: PodContainer, server: Runtime | None) -> str | None:
    """Return how to finish running answers, if a pause before SIGTERM is not enough."""
    if server is None or not _aborts(container, server):
        return None
    shutdown = server.shutdown
    since = shutdown.drain_since
    is_new = None if since is None else runtimes.at_least(container.image, since)
    sleep = "let `preStop` sleep as long as the longest answer takes"
    if shutdown.drain is None or since is None or is_new is False:
        return f"{sleep}, so that running answers finish"
    add = f"add `{min(shutdown.drain.flags)}` with the seconds of the longest answer"
    if is_new:
        return f"{add}, so that {server.title} finishes running answers"
    return f"{add} if the image has {server.title} {since} or newer, and {sleep} if it is older"
