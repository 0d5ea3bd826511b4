"""Devices of a fabric on nodes where a container may not lock memory."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library
from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.placement.fabrics import fabric_devices, fabric_pools
from gpuspec.lint.analysis.security.bypass import is_privileged
from gpuspec.lint.analysis.security.users import is_non_root
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU912",
    "memlock-too-low",
    "warning",
    "An RDMA container cannot lock memory",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods only with a profile: the container runtime's limit is a fact of the nodes."""
    pools = [fabric_pool for fabric_pool in fabric_pools(pod, context) if fabric_pool.pool.rdma]
    low = [pool for pool in pools if pool.pool.rdma and pool.pool.rdma.memlock == "limited"]
    if not low:
        return
    for gpu_container in pod.gpu_containers:
        devices = fabric_devices(gpu_container, context)
        added = items(mapping(gpu_container.security.get("capabilities")).get("add"))
        if not devices or is_privileged(gpu_container) or "IPC_LOCK" in added or "ALL" in added:
            continue
        resource, path = next(iter(devices.items()))
        inert = is_non_root(pod, gpu_container) or refuses_baseline(pod, context)
        yield RawFinding(
            path,
            f"`{resource}` needs to lock memory, but the container runtime of pool `{low[0].pool.name}` "
            f"limits locked memory: RDMA connections fail, and {library(gpu_container)} uses TCP",
            note="raise the memlock limit of the container runtime on these nodes: `IPC_LOCK` "
            + (
                (
                    "does not help, because it has no effect for a non-root user and `baseline` "
                    "forbids it"
                )
                if inert
                else (
                    "also works for this pod, which may run as root, if no Pod Security level is "
                    "enforced"
                )
            ),
        )
