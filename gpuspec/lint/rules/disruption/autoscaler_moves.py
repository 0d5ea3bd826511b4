"""A run on a small part of nodes that Cluster Autoscaler may take away."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.nodes import node_bounds
from gpuspec.lint.analysis.placement.placing import names, reached, wanted_devices
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.reading.releases import is_installed
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.amounts import all_amounts
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU523",
    "autoscaler-moves",
    "warning",
    "Cluster Autoscaler may evict a run that uses little of its node",
    gives_way=("GPU728",),
    fix="unsafe",
)
_SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_OTHERS = "karpenter"
_BUSY = 2
"""One part in so many of a node's GPUs in use, and the node is left alone."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield finite pods that all pools which may take them could lose, but for those that hold a
    node."""
    if pod.life != "finite" or not wanted_devices(pod):
        return
    if pod.metadata_path is None or pod.object.traits.shared or _SAFE in pod.annotations:
        return
    pools = reached(pod, context)
    if not pools or _holds_node(pod, context) or not all(_shrinks(pool, context) for pool in pools):
        return
    if not all(_is_small(pod, pool) for pool in pools):
        return
    path = (*pod.metadata_path, "annotations", _SAFE)
    others = pod.role.count if pod.role.gang else None
    lost = f"the run of {others} pods ends" if others and others > 1 else "the run ends"
    yield RawFinding(
        path,
        "the pod uses less than half of the GPUs of a node of "
        f"{names([pool.pool.name for pool in pools])}, so Cluster Autoscaler may remove the "
        f"node: {lost}, and the work since the last checkpoint is lost",
        fix=set_field(path, "false"),
        confidence="likely",
    )


def _shrinks(advertising_pool: AdvertisingPool, context: Context) -> bool:
    """Return whether only Cluster Autoscaler removes nodes of a pool."""
    least, most = node_bounds(advertising_pool.pool)
    if least is None or most is None or most <= least:
        return False
    return context.provider != "eks-auto" and not (
        is_installed(_OTHERS, context)
        or any(_OTHERS in label for label in advertising_pool.pool.labels)
    )


def _is_small(pod: Pod, advertising_pool: AdvertisingPool) -> bool:
    """Return whether a node with no other pod counts as idle: of accelerators alone is that
    told."""
    from gpuspec.fleet import advertised

    have = advertised(advertising_pool.pool, advertising_pool.model)
    amounts = all_amounts(pod)
    return all(amounts.get(name, 0) * _BUSY < have[name] for name in wanted_devices(pod))


def _holds_node(pod: Pod, context: Context) -> bool:
    """Return whether its local volumes keep the node, as they do everywhere but on GKE."""
    volumes = map(mapping, items(pod.spec.get("volumes")))
    return context.provider != "gke" and any(
        "hostPath" in volume
        or ("emptyDir" in volume and mapping(volume["emptyDir"]).get("medium") != "Memory")
        for volume in volumes
    )
