"""A model server of which every replica is bound to nodes that are taken away at short notice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gpuspec.lint.analysis.placement.interruption import spot_of
from gpuspec.lint.analysis.serving.selecting import asking, selector, services_of
from gpuspec.lint.analysis.serving.servers import answers, gpu_workers, is_first, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU867",
    "all-on-spot",
    "info",
    "All replicas of a model server run on spot nodes",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that are the only pods behind their Service."""
    if not is_first(pod) or not answers(pod) or asking(pod, context.collection) is None:
        return
    server = next(filter(None, map(server_of, gpu_workers(pod))), None)
    spot = None if server is None else spot_of(pod, context)
    if server is None or spot is None:
        return
    yield RawFinding(
        pod.path("nodeSelector") if spot.path is None else spot.path,
        f"all replicas of this {server.title} server run on spot nodes: the provider can reclaim "
        f"several at once with {spot.notice} s notice, and no request is answered until a new "
        "replica has loaded its model",
        note=(
            "run some replicas on on-demand nodes, in a second workload behind the same Service"
            f"{spot.reason}"
        ),
        confidence="likely",
        unless=partial(_has_others, services_of(pod, context.collection), pod.object),
    )


def _has_others(services: list[Object], owner: Object, collection: Collection) -> bool:
    """Return whether other pods than an object's are behind a Service of its pods."""
    return any(
        pod.object != owner.number
        for service in services
        for pod in collection.selected(service.namespace, selector(service)).pods
    )
