"""The GPUs that a node advertises: whole, as MIG slices, or time-sliced."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec import hardware
from gpuspec.cluster.discover.faults import GFD_PRODUCT, broken_mig, cause, has_gpu_labels
from gpuspec.cluster.discover.labels import PARTITION
from gpuspec.cluster.discover.makers import plain
from gpuspec.cluster.discover.mig import MIG_PREFIX, mixed_layout, single_layout
from gpuspec.cluster.discover.model import instance_gpus, model_of
from gpuspec.cluster.discover.node_gpus import GPU, NodeGpus, Reading, both, bounded
from gpuspec.spec import Sharing
from gpuspec.spec.sharing import MOST_REPLICAS

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import DeviceResource, GpuModel, Product, Vendor

SHARED_GPU = "nvidia.com/gpu.shared"
REPLICAS = "nvidia.com/gpu.replicas"
_LABELLERS = ("gfd", "gke", "karpenter-aws", "eks-auto", "karpenter-azure")
_STACKED = "its MIG slices are shared in time as well, which a profile cannot state"


def read_devices(node: LiveNode, dra: bool) -> Reading | None:
    """Return the GPUs of a node; None for a node without GPUs. `dra`: a ResourceSlice lists its
    GPUs."""
    kinds = {
        name: kind for name in sorted({*node.capacity, *node.allocatable}) if (kind := _kind(name))
    }
    if not kinds and not has_gpu_labels(node):
        return None
    live = [name for name in kinds if (node.amount(name) or 0) > 0]
    if not live:
        return Reading(reasons=(f"no GPU can be allocated: {cause(node, dra, list(kinds))}",))
    if node.architecture not in ("amd64", "arm64"):
        return Reading(reasons=(f"a profile cannot state its architecture {node.architecture}",))
    vendors = {kinds[name].vendor for name in live}
    for maker in hardware.vendors():
        if maker.name in vendors and maker.labeller is not None:
            resources = [
                name
                for name in live
                if kinds[name].vendor == maker.name and kinds[name].of not in live
            ]
            return _known_vendor(node, maker, resources)
    names = ", ".join(live)
    titles = {vendor.name: vendor.title for vendor in hardware.vendors()}
    makers = " and ".join(sorted(titles[vendor] for vendor in vendors))
    return Reading(reasons=(f"{makers} ({names}) is not among the GPUs that a profile can name",))


@cache
def _kind(resource: str) -> DeviceResource | None:
    return hardware.resource(resource)


def _known_vendor(node: LiveNode, maker: Vendor, live: list[str]) -> Reading:
    model = model_of(node, maker.name)
    if isinstance(model, str):
        return Reading(reasons=(model,))
    if model.model.architecture not in (None, node.architecture):
        hosts = f"{model.model.name} sits on {model.model.architecture} hosts"
        return Reading(reasons=(f"{hosts}, but its CPUs are {node.architecture}",))
    if maker.name != "nvidia":
        reading = plain(node, maker, model.model, live)
    elif invalid := broken_mig(node):
        return Reading(reasons=(invalid,))
    else:
        reading = _nvidia(node, model.model, live)
    model_remarks = (model.remark,) if model.remark else ()
    parts = tuple(
        msgspec.structs.replace(part, remarks=model_remarks + part.remarks, called=model.called)
        for part in reading.parts
    )
    reading = bounded(Reading(parts, reading.reasons))
    return Reading(reading.parts, reading.reasons + _lost(node, live, reading.parts))


def _lost(node: LiveNode, live: list[str], parts: tuple[NodeGpus, ...]) -> tuple[str, ...]:
    """Return a remark on devices of the node that are not allocatable now."""
    counts = {name: both(node, name) for name in live}
    lost = [
        f"{usable} of {count} {name} can be allocated, the others are unhealthy or gone"
        for name, (count, usable) in counts.items()
        if usable < count
    ]
    if not lost:
        lost = [
            f"only {part.usable} of the {part.count} GPUs that its labels count are advertised"
            for part in parts
            if part.usable < part.count
        ]
    return tuple(lost)


def _nvidia(node: LiveNode, model: GpuModel, live: list[str]) -> Reading:
    slices = [name for name in live if name.startswith(MIG_PREFIX)]
    whole = SHARED_GPU if SHARED_GPU in live else GPU if GPU in live else None
    if slices:
        return _mixed(node, model, slices, whole)
    if whole is None:
        return Reading(reasons=(f"a profile cannot state {', '.join(live)}",))
    product = _product(node)
    partition = product.mig or node.labels.get(PARTITION)
    if partition:
        if product.shared or whole == SHARED_GPU or _replicas(node) > 1:
            return Reading(reasons=(_STACKED,))
        return _single(node, model, partition)
    part = _whole(node, model, whole, _counted(node))
    return Reading((part,)) if isinstance(part, NodeGpus) else Reading(reasons=(part,))


def _single(node: LiveNode, model: GpuModel, partition: str) -> Reading:
    slices, usable = both(node, GPU)
    layout = single_layout(node, model, partition, slices)
    if isinstance(layout, str):
        return Reading(reasons=(layout,))
    sharing = Sharing(mode="mig", profiles=layout.profiles)
    part = NodeGpus(model, layout.gpus, layout.gpus * usable // slices, GPU, sharing)
    return Reading((msgspec.structs.replace(part, remarks=layout.remarks),))


def _mixed(node: LiveNode, model: GpuModel, names: list[str], whole: str | None) -> Reading:
    """Return MIG slices under their own resource names, perhaps with whole GPUs."""
    if any(n.endswith(".shared") or node.number(f"{n}.replicas") > 1 for n in names):
        return Reading(reasons=(_STACKED,))
    beside = _whole(node, model, whole, None) if whole else None
    if isinstance(beside, str):
        return Reading(reasons=(beside,))
    counts = {name: both(node, name) for name in names}
    advertised = {name: count for name, (count, _) in counts.items()}
    layout = mixed_layout(node, model, advertised, beside.count if beside else 0)
    if isinstance(layout, str):
        return Reading((beside,) if beside else (), (layout,))
    usable = min(layout.gpus * healthy // count for count, healthy in counts.values())
    sharing = Sharing(mode="mig", strategy="mixed", profiles=layout.profiles)
    # The names of the slices follow from strategy and profiles.
    part = NodeGpus(model, layout.gpus, usable, GPU, sharing, remarks=layout.remarks)
    if beside is None:
        return Reading((part,))
    if beside.sharing is None and (part.usable, beside.usable) == (part.count, beside.count):
        # One pool: the nodes are counted once. Where a GPU is missing, each kind is counted alone.
        total = part.count + beside.count
        some = msgspec.structs.replace(sharing, gpus=part.count)
        return Reading((NodeGpus(model, total, total, GPU, some, remarks=layout.remarks),))
    return Reading(
        (
            msgspec.structs.replace(beside, beside=part.count),
            msgspec.structs.replace(part, beside=beside.count),
        )
    )


def _whole(node: LiveNode, model: GpuModel, resource: str, counted: int | None) -> NodeGpus | str:
    """Return whole GPUs, or shares of them, or why a profile cannot state them.

    `counted` is the number of GPUs in the node's labels.
    """
    shares, healthy = both(node, resource)
    replicas = _replicas(node)
    rename = resource == SHARED_GPU
    remarks: tuple[str, ...] = ()
    if counted and shares > counted and REPLICAS in node.labels and replicas <= 1:
        remarks = (
            f"labels count {counted} GPUs, but {shares} are advertised: are there two models?",
        )
    elif counted and shares > counted and shares % counted == 0 and replicas <= 1:
        # Only the number of the resource tells: nobody labels these nodes with the sharing.
        replicas = shares // counted
        remarks = (
            f"{shares} {resource} on {counted} GPUs are taken for time-slicing; it may be MPS",
        )
    if replicas <= 1 and (rename or _product(node).shared):
        return (
            f"its GPUs are shared ({resource}: {shares}), but no label gives the shares of one GPU"
        )
    if replicas <= 1:
        count = max(shares, counted or 0)
        return NodeGpus(model, count, healthy, resource, remarks=remarks)
    if replicas > MOST_REPLICAS:
        return f"{replicas} shares of a GPU are more than a profile can state ({MOST_REPLICAS})"
    count = max(-(-shares // replicas), counted or 0)
    sharing = Sharing(mode=_mode(node), replicas=replicas, rename=rename)
    return NodeGpus(model, count, healthy // replicas, resource, sharing, remarks=remarks)


def _product(node: LiveNode) -> Product:
    return hardware.split_product(node.labels.get(GFD_PRODUCT, ""))


def _mode(node: LiveNode) -> Literal["mps", "time-slicing"]:
    # Before there was a label for it, there was only time-slicing.
    keys = [hardware.labellers()[name].keys["sharing"] for name in ("gfd", "gke")]
    return "mps" if "mps" in [node.labels.get(key) for key in keys] else "time-slicing"


def _replicas(node: LiveNode) -> int:
    keys = hardware.labellers()
    return max(node.number(keys[name].keys["replicas"]) for name in ("gfd", "gke"))


def _counted(node: LiveNode) -> int | None:
    """Return the number of GPUs in the node by its labels, or else by its instance type."""
    for name in _LABELLERS:
        if count := node.number(hardware.labellers()[name].keys["count"]):
            return count
    return instance_gpus(node)
