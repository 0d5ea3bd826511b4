"""The GPU model of a node: by its labels, by its instance type, or else the nearest model by
memory."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import GpuModel

# How far a model's memory may be from a label's for it to stand in for an unknown one, in percent.
NEAR = 10
MIB = 1 << 20
# What is left to do for a node of which too little is known.
BY_HAND = "write its pool by hand"


class DiscoveredModel(msgspec.Struct, frozen=True):
    """The model, and remarks for the user to check.

    `called`: the name in the nodes' labels, for a GPU that the model only approximates.
    """

    model: GpuModel
    remark: str | None = None
    called: str | None = None


def model_of(node: LiveNode, vendor: str) -> DiscoveredModel | str:
    """Return the model of a node's GPUs, or a sentence with the reason why it is unknown."""
    labelled, unknown, against = _labelled(node, vendor)
    if labelled:
        discovered_model = _one_of(node, labelled, "its labels")
        return (
            _remarked(discovered_model, f"its label {against[0]} names another GPU")
            if against
            else discovered_model
        )
    for value in unknown:
        if spelled := _fitting(node, hardware.find(value), vendor):
            return _remarked(_one_of(node, spelled, value), f"{value} is taken for what it says")
    if not unknown and (sold := _fitting(node, instance_models(node), vendor)):
        why = f"no label names the GPU; {node.labels.get(hardware.INSTANCE_TYPE)} machines have this one"
        return _remarked(_one_of(node, sold, str(node.labels.get(hardware.INSTANCE_TYPE))), why)
    return _nearest(node, vendor, unknown)


def instance_models(node: LiveNode) -> tuple[GpuModel, ...]:
    """Return the models of the node's instance type, or else of its instance family."""
    instance = node.labels.get(hardware.INSTANCE_TYPE, "")
    exact, families = _instances()
    return exact.get(instance, ((), 0))[0] or families.get(_family(instance), ())


def instance_gpus(node: LiveNode) -> int | None:
    """Return the number of GPUs of the node's instance type, if the table has the type."""
    return _instances()[0].get(node.labels.get(hardware.INSTANCE_TYPE, ""), ((), 0))[1] or None


@cache
def _instances() -> tuple[
    dict[str, tuple[tuple[GpuModel, ...], int]], dict[str, tuple[GpuModel, ...]]
]:
    exact: dict[str, tuple[tuple[GpuModel, ...], int]] = {}
    families: dict[str, tuple[GpuModel, ...]] = {}
    for model in hardware.models():
        for shape in hardware.node_shapes(model):
            exact[shape.instance] = ((*exact.get(shape.instance, ((), 0))[0], model), shape.gpus)
            family = _family(shape.instance)
            if model not in families.get(family, ()):
                families[family] = (*families.get(family, ()), model)
    return exact, families


def _family(instance: str) -> str:
    """Return the family of an instance type: `g6`, `g2-standard`, `Standard_NCads_A100_v4`."""
    if instance.startswith("Standard_"):
        head, _, rest = instance.removeprefix("Standard_").partition("_")
        return f"Standard_{re.sub('[0-9]+', '', head)}_{rest}"
    if "." in instance:
        return instance.partition(".")[0]
    return instance.rpartition("-")[0]


def _labelled(node: LiveNode, vendor: str) -> tuple[tuple[GpuModel, ...], list[str], list[str]]:
    """Return the models that labels agree on, label values with unknown models, and keys that
    disagree."""
    agreed: tuple[GpuModel, ...] = ()
    unknown: list[str] = []
    against: list[str] = []
    for labeller in hardware.labellers().values():
        value = node.labels.get(labeller.product or "")
        if value is None or labeller.vendor != vendor:
            continue
        gpu_models = hardware.from_label(str(labeller.product), value)
        if not gpu_models:
            unknown.append(hardware.split_product(value).name)
            continue
        of_both = tuple(model for model in agreed if model in gpu_models)
        if agreed and not of_both:
            # The labeller that comes first knows best: a later one may narrow it, not overrule it.
            against.append(str(labeller.product))
        agreed = of_both or agreed or gpu_models
    return agreed, unknown, against


def _fitting(node: LiveNode, models: tuple[GpuModel, ...], vendor: str) -> tuple[GpuModel, ...]:
    """Return the vendor's models whose memory agrees with the labels."""
    memory = _memory(node)
    return tuple(
        model
        for model in models
        if model.vendor == vendor and (memory is None or _apart(model, memory) <= NEAR)
    )


def _one_of(node: LiveNode, models: tuple[GpuModel, ...], source: str) -> DiscoveredModel:
    """Return one of several models: by memory and instance type, or else the one with the least
    memory."""
    candidates = models
    memory = _memory(node)
    if memory is not None:
        least = min(_apart(model, memory) for model in candidates)
        candidates = tuple(model for model in candidates if _apart(model, memory) == least)
    sold = instance_models(node)
    candidates = tuple(m for m in candidates if m in sold) or candidates
    if len(candidates) == 1:
        return DiscoveredModel(candidates[0])
    smallest = min(candidates, key=lambda model: (model.memory, model.name))
    choices = ", ".join(model.name for model in candidates)
    return DiscoveredModel(
        smallest, f"{source} can mean {choices}: the one with least memory is taken"
    )


def _nearest(node: LiveNode, vendor: str, unknown: list[str]) -> DiscoveredModel | str:
    """Return the nearest model of the same generation, if labels have memory and generation."""
    memory, family = _memory(node), node.labels.get("nvidia.com/gpu.family")
    reason = f"the GPU {unknown[0]} is not in our table" if unknown else "no label names the GPU"
    if memory is not None and family:
        near = [
            (_apart(model, memory), model.name, model)
            for model in hardware.models()
            if model.vendor == vendor and model.family == family
        ]
        if near and min(near)[0] <= NEAR:
            chosen = min(near)[2]
            return DiscoveredModel(
                chosen,
                f"{reason}; {chosen.name} is the {family} GPU whose memory is nearest to its "
                f"{memory // MIB} MiB",
                unknown[0] if unknown else None,
            )
    if unknown:
        return f"{reason}, and none of its generation has that memory; {BY_HAND}"
    machine = node.labels.get(hardware.INSTANCE_TYPE) or "the machine"
    return f"{reason} and {machine} is not in our table; {BY_HAND}"


def _apart(model: GpuModel, memory: int) -> int:
    return abs(model.memory - memory) * 100 // memory


def _memory(node: LiveNode) -> int | None:
    """Return the memory of one GPU in bytes by the labels; a MIG slice's label does not count."""
    product = node.labels.get("nvidia.com/gpu.product", "")
    for labeller in hardware.labellers().values():
        label = node.labels.get(labeller.keys.get("memory", ""))
        match = re.match("[0-9]+", label or "")
        size = read_whole(match[0]) if match else None
        if not size:
            continue
        if labeller.name == "gfd" and hardware.split_product(product).mig:
            continue
        # CoreWeave and AMD count in GB, the others in MiB.
        return size * MIB if size >= 1000 else size * 1000 * MIB
    return None


def _remarked(discovered_model: DiscoveredModel, why: str) -> DiscoveredModel:
    return DiscoveredModel(
        discovered_model.model,
        f"{why}; {discovered_model.remark}" if discovered_model.remark else why,
        discovered_model.called,
    )
