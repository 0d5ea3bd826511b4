"""Devices of AMD, Intel and Gaudi on a node: whole GPUs, partitions, or time-shared ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.cluster.discover.node_gpus import NodeGpus, Reading, both
from gpuspec.spec import Sharing
from gpuspec.spec.sharing import MOST_REPLICAS

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import GpuModel, Vendor

_GROUPS = (
    "nodes do not show which groups may open the device files: write gpu.groups, which "
    "`getent group {}` on a node shows"
)


def plain(node: LiveNode, maker: Vendor, model: GpuModel, live: list[str]) -> Reading:
    """Return the devices of one vendor, each resource as a separate item."""
    groups = groups_to_tell(maker.name)
    gpu_parts: list[NodeGpus] = []
    for resource in live:
        part = _part(node, maker, model, resource)
        if isinstance(part, str):
            return Reading(reasons=(part,))
        gpu_parts.append(replace(part, remarks=(*part.remarks, *groups)))
    gpus = sum(part.gpus for part in gpu_parts)
    return Reading(tuple(replace(part, beside=gpus - part.gpus) for part in gpu_parts))


def groups_to_tell(maker: str) -> tuple[str, ...]:
    """Return a remark that a user must state the groups with access to the vendor's device
    files."""
    files = hardware.pod_needs(maker).files
    return (_GROUPS.format(" ".join(files.groups)),) if files else ()


def _part(node: LiveNode, maker: Vendor, model: GpuModel, resource: str) -> NodeGpus | str:
    count, usable = both(node, resource)
    partition = _partition(node, maker, resource)
    if partition:
        parts = hardware.parts_of(model, partition)
        if parts is None or count % parts:
            return f"{count} {resource} do not match partition {partition} of {model.name}"
        if parts > 1:
            return NodeGpus(model, count, usable, resource, partition=partition, parts=parts)
    counted = _counted(node, maker)
    if "time-slicing" not in maker.sharing or not counted or count <= counted:
        return NodeGpus(model, count, usable, resource)
    replicas, rest = divmod(count, counted)
    if rest or replicas > MOST_REPLICAS:
        return (
            f"{count} {resource} on {counted} GPUs give no number of replicas that a profile "
            "can state"
        )
    sharing = Sharing(mode="time-slicing", replicas=replicas)
    return NodeGpus(model, counted, usable // replicas, resource, sharing)


def _partition(node: LiveNode, maker: Vendor, resource: str) -> str | None:
    """Return the partitioning of a resource's GPUs: by the resource's name, or else by the node's
    label."""
    name = resource.rpartition("/")[2]
    if "_nps" in name:
        return name
    labeller = hardware.labellers().get(maker.labeller or "")
    return node.labels.get(labeller.keys.get("partition", "")) if labeller else None


def _counted(node: LiveNode, maker: Vendor) -> int:
    """Return the number of GPUs in the label of the vendor's own labeller; 0 if there is none."""
    labeller = hardware.labellers().get(maker.labeller or "")
    return node.number(labeller.keys.get("count", "")) if labeller else 0
