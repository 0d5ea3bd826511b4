"""The extended resources that a node of a pool advertises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool

_SHARED = 1000
"""The number that stands for unlimited pods on shared fabric devices."""


def advertised(pool: Pool, model: GpuModel) -> dict[str, int]:
    """Return accelerators by resource name, as the device plugin counts them: shares and slices
    too."""
    name, count = pool.gpu.resource, pool.gpu.count
    sharing = pool.sharing
    if sharing is None:
        return {name: count}
    if sharing.mode != "mig":
        return {sharing.share_name(name): count * (sharing.replicas or 1)}
    amounts: dict[str, int] = {}
    for profile, slices in sharing.profiles.items():
        mig_profile = model.profile(profile)
        if mig_profile is not None:
            key = mig_profile.resource if pool.names_profiles else name
            amounts[key] = amounts.get(key, 0) + slices * pool.shared_gpus
    if pool.whole_gpus:
        amounts[name] = pool.whole_gpus
    return amounts


def fabric_devices(pool: Pool) -> dict[str, int]:
    """Return devices of a pool's fabric by resource name: those of a node, or the number of pods
    that may share them."""
    rdma = pool.rdma
    if rdma is None:
        return {}
    times = 1 if rdma.per_gpu else _SHARED
    return {name: count * times for name, count in rdma.devices.items()}
