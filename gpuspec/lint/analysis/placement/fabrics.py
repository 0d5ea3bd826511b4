"""The fabric of a pod: its resources that are fabric devices, and the pools that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.lint.analysis.placement.placing import reached

if TYPE_CHECKING:
    from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Pool as ProfilePool

EFA = "vpc.amazonaws.com/efa"


def fabric_devices(container: PodContainer, context: Context) -> dict[str, Path]:
    """Return the container's resources that are fabric devices, with their paths."""
    profile_names = fabric_names(context)
    return {
        name: container.path(container.resources_at, field, name)
        for field, amounts in (("requests", container.requests), ("limits", container.limits))
        for name in amounts
        if isinstance(name, str)
        # No fabric's device is called without a domain: most names are of the host's own.
        and (name in profile_names or ("/" in name and hardware.fabric(name) is not None))
    }


def fabric_pools(pod: Pod, context: Context) -> list[AdvertisingPool]:
    """Return the pools that accept the pod if all of them have a fabric; else none."""
    pools = reached(pod, context) if context.cluster is not None else []
    return pools if all(pool.pool.rdma is not None for pool in pools) else []


def literal_env(container: PodContainer) -> dict[str, str]:
    """Return the environment variables with literal values."""
    variables = {name: container.env_value(name) for name in container.env}
    return {
        name: value for name, value in variables.items() if value is not None and "$" not in value
    }


def fabric_names(context: Context, pool: ProfilePool | None = None) -> set[str]:
    """Return the resources of the fabrics of the profile's pools, or of one of them."""
    if context.cluster is None:
        return set()
    pools = context.cluster.pools if pool is None else (pool,)
    fabrics = [pool_entry.rdma for pool_entry in pools if pool_entry.rdma is not None]
    return {name for fabric in fabrics for name in fabric.devices}
