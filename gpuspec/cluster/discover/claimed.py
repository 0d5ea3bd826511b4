"""The GPUs of a node for claims, as the DRA driver's ResourceSlices list them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.cluster.discover.makers import groups_to_tell
from gpuspec.cluster.discover.node_gpus import GPU, NodeGpus, Reading, bounded
from gpuspec.fleet.claims.reading import slice_of
from gpuspec.fleet.claims.shown import model_of
from gpuspec.spec import Sharing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.cluster.discover.input import Inventory, LiveNode
    from gpuspec.fleet.claims.model import ResourceSlice, SliceDevice
    from gpuspec.hardware import ClaimDriver, GpuModel

_SINCE = 34
_DIVIDED = "its driver divides GPUs as claims request: the profile states whole GPUs"


def slices_of(inventory: Inventory) -> Mapping[str, Sequence[ResourceSlice]]:
    """Return the ResourceSlices with GPUs by node, without those of old pool generations."""
    slices_by_node: dict[str, list[ResourceSlice]] = {}
    for obj in inventory.beside:
        if obj.get("kind") != "ResourceSlice":
            continue
        resource_slice = slice_of(obj)
        if resource_slice.driver in _makers() and resource_slice.place.node:
            slices_by_node.setdefault(resource_slice.place.node, []).append(resource_slice)
    return {
        node: [
            obj
            for obj in resource_slices
            if obj.generation == max(sibling.generation for sibling in resource_slices)
        ]
        for node, resource_slices in slices_by_node.items()
    }


@cache
def _makers() -> Mapping[str, str]:
    """Return the vendors by their DRA driver."""
    return {driver.driver: maker for maker, driver in hardware.claim_drivers().items()}


def read_claimed(node: LiveNode, slices: Sequence[ResourceSlice]) -> Reading | None:
    """Return the GPUs in a node's slices; None if the slices have none."""
    devices = [device for resource_slice in slices for device in resource_slice.devices]
    if not devices:
        return None
    if (node.minor or _SINCE) < _SINCE:
        requirement = (
            f"claims of a profile need Kubernetes 1.{_SINCE}, but its kubelet is 1.{node.minor}"
        )
        return Reading(reasons=(f"its GPUs are handed out by DRA: {requirement}",))
    models = {
        gpu_model.name: gpu_model
        for device in devices
        if (gpu_model := model_of(device)) is not None
    }
    names = sorted({_product(device) for device in devices})
    if len(models) != 1 or len(names) > 1:
        return Reading(
            reasons=(f"its slices list {', '.join(names)}, which is not one GPU of a profile",)
        )
    (model,) = models.values()
    whole = [device for device in devices if _kind(device) == "whole"]
    parts = [device for device in devices if _kind(device) == "partition" and not device.consumes]
    remarks = (_DIVIDED,) if any(device.consumes for device in devices) else ()
    node_gpus = _divided(model, len(whole), parts) if model.mig else _cut(model, len(whole), parts)
    if isinstance(node_gpus, str):
        return Reading(reasons=(node_gpus,))
    if node_gpus is None:
        return None
    gpu_remarks = (*remarks, *groups_to_tell(model.vendor))
    resource = hardware.whole_resource(model.vendor) or GPU
    return bounded(
        Reading((replace(node_gpus, resource=resource, claimed=True, remarks=gpu_remarks),))
    )


def _divided(model: GpuModel, whole: int, parts: Iterable[SliceDevice]) -> NodeGpus | str | None:
    """Return the GPUs of a node with some MIG-partitioned GPUs; a reason if a profile cannot state
    them, None if there are none."""
    layouts: dict[str, Counter[str]] = {}
    for part in parts:
        parent, profile = _text(part, "parentUUID"), _text(part, "profile")
        if model.profile(profile) is None:
            return f"{profile} is not a known MIG profile of {model.name}"
        layouts.setdefault(parent, Counter())[profile] += 1
    total = whole + len(layouts)
    if not layouts:
        return NodeGpus(model, total, total) if total else None
    first, *rest = layouts.values()
    if any(layout != first for layout in rest):
        profile_counts = sum(layouts.values(), Counter[str]())
        counts_text = ", ".join(
            f"{count} of {name}" for name, count in sorted(profile_counts.items())
        )
        return f"its GPUs are cut in different ways ({counts_text}), which a profile cannot state"
    order = sorted(first, key=lambda name: _size(model, name))
    profiles = {name: first[name] for name in order}
    some = len(layouts) if whole else None
    return NodeGpus(model, total, total, sharing=Sharing(mode="mig", profiles=profiles, gpus=some))


def _cut(model: GpuModel, whole: int, parts: Sequence[SliceDevice]) -> NodeGpus | str | None:
    """Return the GPUs of a node that are all whole, or all partitioned in one way."""
    profile_counts = Counter(_text(part, _driver(part).profile) for part in parts)
    if not profile_counts:
        return NodeGpus(model, whole, whole) if whole else None
    name = next(iter(profile_counts))
    parts_per_gpu = hardware.parts_of(model, name)
    if whole or len(profile_counts) > 1 or not parts_per_gpu or len(parts) % parts_per_gpu:
        counts_text = ", ".join(
            f"{count} of {name or 'no name'}" for name, count in sorted(profile_counts.items())
        )
        beside = f" beside {whole} whole ones" if whole else ""
        return f"its partitions ({counts_text}{beside}) match no partition mode of {model.name}"
    return NodeGpus(model, len(parts), len(parts), partition=name, parts=parts_per_gpu)


def _size(model: GpuModel, name: str) -> tuple[int, int, str]:
    profile = model.profile(name)
    assert profile is not None
    return profile.compute_slices, profile.memory_slices, name


def _driver(device: SliceDevice) -> ClaimDriver:
    return hardware.claim_drivers()[_makers()[device.id.driver]]


def _kind(device: SliceDevice) -> str | None:
    """Return the type of a device in the table of drivers: `whole`, or `partition`."""
    driver = _driver(device)
    type_text = _text(device, driver.type)
    return next((kind for kind, value in driver.types.items() if value == type_text), None)


def _product(device: SliceDevice) -> str:
    return _text(device, _driver(device).product) or "GPUs without a name"


def _text(device: SliceDevice, name: str | None) -> str:
    kind, value = device.attributes.get(name or "", ("string", ""))
    return str(value) if kind == "string" else ""
