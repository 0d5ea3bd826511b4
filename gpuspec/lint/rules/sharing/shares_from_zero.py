"""More shares than a node has GPUs, in a pool that an autoscaler makes from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.reading.releases import is_installed
from gpuspec.lint.analysis.sharing.sharing import lands
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.spec import Pool

RULE = Rule(
    "GPU303",
    "shares-from-zero",
    "error",
    "A pod requests more GPU shares than the autoscaler expects a new node to have",
)

_COUNTS_GPUS = ("karpenter",)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield shares of one resource above the machine's GPUs, where every pool can be empty."""
    # GKE's autoscaler knows how often its nodes share a GPU.
    if context.provider in (None, "gke") or not pod.has_gpu:
        return
    pools = lands(pod, context)
    if not pools or not all(_from_zero(pool.pool) for pool in pools):
        return
    most = max(pools, key=lambda pool: pool.pool.gpu.count)
    for container in pod.gpu_containers:
        for device in container.devices:
            if (device.count or 0) > most.pool.gpu.count:
                yield _found(device.path, device.count or 0, most, context)


def _from_zero(pool: Pool) -> bool:
    shared = pool.sharing is not None and pool.sharing.mode in ("mps", "time-slicing")
    nodes = pool.nodes
    return shared and nodes is not None and not isinstance(nodes, int) and nodes.min == 0


def _found(
    path: tuple[str | int, ...], count: int, advertising_pool: AdvertisingPool, context: Context
) -> RawFinding:
    is_known = context.provider == "eks-auto" or any(
        is_installed(name, context) for name in _COUNTS_GPUS
    )
    gpus = advertising_pool.pool.gpu.count
    return RawFinding(
        path,
        f"{count} shares are requested, but a node of pool `{advertising_pool.pool.name}` has "
        f"{gpus} GPU{'' if gpus == 1 else 's'}: an autoscaler that counts GPUs adds no node to "
        "the empty pool, and the pod stays Pending",
        note="request 1 share, or keep a node in the pool (`nodes: {min: 1}`)",
        severity=None if is_known else "warning",
        confidence="certain" if is_known else "likely",
    )
