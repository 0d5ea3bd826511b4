"""Pods that are spread over zones or nodes of which some have no GPUs, and still count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.node_pools import ZONE, node_pools
from gpuspec.lint.analysis.placement.nodes import nodes, pods
from gpuspec.lint.analysis.placement.placing import names, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.spreading import Spread
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU413",
    "spread-over-others",
    "warning",
    "GPU pods are spread over nodes or zones that include some without GPUs",
)
_HOST = "kubernetes.io/hostname"
_EVERYWHERE = ("kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield hard constraints that select the pod itself, if it does not restrict its nodes."""
    if "topologySpreadConstraints" not in pod.spec or pod.object.is_a("apps", "DaemonSet"):
        return
    replicas = pods(pod, context).least
    for path, spread in _hard(pod):
        if spread.by_affinity and _chooses(pod):
            continue
        if spread.topology == ZONE:
            yield from _zones(pod, path, spread, replicas, context)
        elif spread.topology == _HOST:
            yield from _nodes(pod, path, spread, replicas, context)


def _hard(pod: Pod) -> Iterator[tuple[Path, Spread]]:
    from gpuspec.fleet.scheduler.spreading import spreads

    labels = {str(key): str(value) for key, value in pod.labels.items()}
    for index, row in enumerate(map(mapping, items(pod.spec.get("topologySpreadConstraints")))):
        # Read one by one, so that each keeps its place.
        alone = {"topologySpreadConstraints": [row]}
        for spread in spreads(alone, labels, "DoNotSchedule"):
            if spread.selector.met(labels):
                yield pod.path("topologySpreadConstraints", index), spread


def _chooses(pod: Pod) -> bool:
    """Return whether it chooses nodes by a label, which may be one of those with GPUs alone."""
    return any(
        requirement.key not in _EVERYWHERE for way in requirements(pod) for requirement in way
    )


def _zones(
    pod: Pod, path: Path, spread: Spread, replicas: int, context: Context
) -> Iterator[RawFinding]:
    """Yield findings by the NodePools of the set, if each NodePool with GPUs states its zones."""
    pools = node_pools(context.collection)
    ours = [pool for pool in pools if pool.gpus]
    if not ours or any(pool.gpus is None for pool in pools):
        return
    with_gpus: set[str] = set()
    for pool in ours:
        if pool.zones is None:
            return
        with_gpus |= pool.zones
    others = [pool for pool in pools if not pool.gpus and pool.zones]
    without = sorted({zone for pool in others for zone in pool.zones or ()} - with_gpus)
    if not without or replicas <= spread.skew * len(with_gpus):
        return
    subject = f"zone {names(without)} has" if len(without) == 1 else f"zones {names(without)} have"
    yield RawFinding(
        path,
        f"{subject} nodes but no GPUs, and `topologySpreadConstraints` counts it with 0 pods: each other zone gets "
        f"at most {spread.skew} of {replicas} pods, and the rest stay Pending",
        note=_CHOOSE,
        confidence="likely",
        related=tuple(
            RelatedPlace(pool.object.number, pool.object.path("spec", "template"), "its nodes")
            for pool in others
        ),
    )


_CHOOSE = (
    "select the GPU nodes with `nodeSelector`, so that zones and nodes without GPUs do not count, or "
    "set `whenUnsatisfiable: ScheduleAnyway`"
)


def _nodes(
    pod: Pod, path: Path, spread: Spread, replicas: int, context: Context
) -> Iterator[RawFinding]:
    """Yield findings by the nodes of the profile's pools: a cluster also has nodes without GPUs."""
    node_kinds = nodes(pod, context)
    counts = [node.most for node in node_kinds.kinds]
    if not node_kinds.certain or not counts or None in counts:
        return
    most = spread.skew * sum(count or 0 for count in counts)
    if replicas <= most:
        return
    yield RawFinding(
        path,
        "the spread counts nodes without GPUs, which stay empty: each node gets at most "
        f"{spread.skew} of these pods, {most} of {replicas} run, and the rest stay Pending",
        note=_CHOOSE,
        confidence="likely",
    )
