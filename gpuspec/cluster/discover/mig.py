"""The MIG layout of a node's GPUs, derived from the slices that the node advertises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.cluster.discover.labels import MIG_CONFIG
from gpuspec.cluster.discover.model import instance_gpus

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import GpuModel, MigProfile

MIG_PREFIX = "nvidia.com/mig-"


class MigLayout(msgspec.Struct, frozen=True):
    """GPUs with the same layout: their number, the slices of each by profile, and remarks for the
    user to check."""

    gpus: int
    profiles: dict[str, int]
    remarks: tuple[str, ...] = ()


def single_layout(node: LiveNode, model: GpuModel, partition: str, slices: int) -> MigLayout | str:
    """Return the layout of a node whose GPUs all have slices of one profile, or why it is
    unknown."""
    profile = model.profile(partition)
    if profile is None:
        return f"{partition} is not a known MIG profile of {model.name}"
    most = profile.max_per_gpu
    gpus = slices // most
    remarks: tuple[str, ...] = ()
    gpu_count = node.number("cloud.google.com/gke-accelerator-count") or instance_gpus(node)
    if gpu_count and slices % gpu_count == 0 and slices // gpu_count <= most:
        gpus = gpu_count
    elif slices % most or node.labels.get(MIG_CONFIG) not in (None, f"all-{partition}"):
        # The fewest GPUs that can hold the slices in equal parts.
        gpus = next(n for n in range(-(-slices // most), slices + 1) if slices % n == 0)
        remarks = (f"{slices} slices of {profile.name} are taken for those of {_gpus(gpus)}",)
    return MigLayout(gpus, {profile.name: slices // gpus}, remarks)


def mixed_layout(
    node: LiveNode, model: GpuModel, advertised: dict[str, int], whole: int
) -> MigLayout | str:
    """Return the layout of the partitioned GPUs next to `whole` others, or why it is unknown.

    `advertised`: slices on the node by resource.
    """
    profiles: dict[MigProfile, int] = {}
    for resource, count in advertised.items():
        profile = model.profile(resource)
        if profile is None:
            name = resource.removeprefix(MIG_PREFIX)
            return f"{name} is not a known MIG profile of {model.name}"
        profiles[profile] = count
    # Under this strategy the label counts GPUs, cut or not.
    total = node.number("nvidia.com/gpu.count") or instance_gpus(node) or 0
    gpus = total - whole
    remarks: tuple[str, ...] = ()
    least = _least_gpus(profiles)
    if gpus < least:
        gpus = least
        remarks = (f"its MIG slices are taken for those of {_gpus(gpus)}, which can hold them",)
    order = sorted(profiles, key=lambda p: (p.compute_slices, p.memory_slices, p.name))
    layout = {p.name: profiles[p] // gpus for p in order if profiles[p] >= gpus}
    if not layout:
        slices_text = ", ".join(f"{profiles[p]} of {p.name}" for p in order)
        return f"its GPUs are cut in different ways ({slices_text}), which a profile cannot state"
    if any(count % gpus for count in profiles.values()):
        slices_text = ", ".join(f"{profiles[p]} of {p.name}" for p in order)
        cut = f"the {_gpus(gpus)} are not cut alike ({slices_text} in all): what each of them has is said"
        remarks = (*remarks, cut)
    return MigLayout(gpus, layout, remarks)


def _least_gpus(profiles: dict[MigProfile, int]) -> int:
    """Return the smallest number of GPUs with enough memory for all slices."""
    axis = max(place.start + place.size for profile in profiles for place in profile.placements)
    most = max(-(-count // profile.max_per_gpu) for profile, count in profiles.items())
    room = sum(profile.memory_slices * count for profile, count in profiles.items())
    return max(most, -(-room // axis))


def _gpus(count: int) -> str:
    return "1 GPU" if count == 1 else f"{count} GPUs"
