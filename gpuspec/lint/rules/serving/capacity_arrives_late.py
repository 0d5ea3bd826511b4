"""Replicas that need new nodes, and come when the spike is over."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.pool_capacity import room
from gpuspec.lint.analysis.placement.warm_capacity import kept_warm
from gpuspec.lint.analysis.serving.loading import loading
from gpuspec.lint.analysis.serving.servers import gpu_workers, is_first, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of

RULE = Rule(
    "GPU811",
    "capacity-arrives-late",
    "info",
    "New replicas wait for new nodes",
)
NODE = 300
"""Seconds from a pending pod to a node with its driver and its image: an assumption, on the low
side. Providers name no figure; reports of GPU nodes begin at about five minutes."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield autoscaled servers whose additional replicas do not fit on the nodes that always
    exist."""
    if pod.role.count != 1 or not is_first(pod):
        return
    where = room(pod, context)
    if where is None or where.now is None or not where.grows or where.spare:
        return
    workers = gpu_workers(pod)
    server = server_of(workers[0]) if workers else None
    if server is None:
        return
    load = loading(pod, workers[0], server, context)
    seconds = NODE + (server.startup.seconds if load is None else load.seconds)
    weights = ", plus the time to read the weights" if load is None else ""
    for scaler in scalers_of(pod.object, context.collection):
        if scaler.most is None or scaler.most <= where.now:
            continue
        yield RawFinding(
            scaler.path(scaler.most_at),
            f"beyond {where.now} replicas each replica needs a new node and answers after about "
            f"{round(seconds / 60)} minutes{weights}: shorter load spikes are over by then",
            note=(
                "raise the minimum, or keep capacity ready with placeholder pods of low priority "
                f"(assumed: {NODE} s for the node"
            )
            + (
                f", {load.read} s to read)"
                if load
                else f", {server.startup.seconds} s for {server.title})"
            ),
            confidence="possible",
            object=scaler.object.number,
            unless=kept_warm(pod, context),
        )
