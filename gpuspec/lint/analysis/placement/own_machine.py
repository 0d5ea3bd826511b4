"""The machines that a pod's own selectors name, without a profile: the most that one of them has.

Sources: `gpuspec/hardware/data/instances.yaml` and `nodes.yaml`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.lint.analysis.placement.instances import FAMILY, TYPE, fitting
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.numbers import read_whole
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.hardware import NodeShape
    from gpuspec.objects.objects import Pod

_VARIABLE = "n1-"
"""Machines of Compute Engine that get as many GPUs as their owner attaches."""
# EC2 names a family by letters, a generation and further letters; those with accelerators begin with
# g, p, inf, trn, dl, vt or f (aws/karpenter-provider-aws at 1d927085d reference/instance-types.md).
_EC2_WITHOUT = re.compile(
    r"(?:a|c|d|h|hpc|i|im|is|m|r|t|u|x|z)[0-9][a-z0-9-]*\.[0-9a-z-]+", re.ASCII
)
# MicrosoftDocs/azure-compute-docs articles/virtual-machines/sizes/overview.md: GPUs are in the N series alone.
_AZURE_WITHOUT = re.compile(r"Standard_[ABDEFGHLM][A-Za-z]*[0-9]+[A-Za-z0-9_-]*", re.ASCII)


class OwnMachine(msgspec.Struct, frozen=True):
    """The most that one of some machines has."""

    requirement: Requirement
    """The first requirement that names them."""
    devices: dict[str, int]
    """Whole accelerators, by vendor."""
    cpu: int | None
    """None if unknown."""
    memory: int | None
    """In bytes; None if unknown."""


@kept
def own_machine(pod: Pod) -> OwnMachine | None:
    """Return the machines that each alternative of a pod's selectors requires; None if some are
    unknown."""
    requirements = in_all(pod)
    fit = fitting(requirements)
    if fit is not None:
        return None if fit.without else _of_ec2(fit.named, fit.instances)
    for requirement in requirements:
        if requirement.operator != "In" or not requirement.values:
            continue
        if all(_has_no_accelerator(requirement.key, value) for value in requirement.values):
            return OwnMachine(requirement, {}, None, None)
        if vendor := _counting().get(requirement.key):
            counts = [read_whole(value) for value in requirement.values]
            if all(counts):
                return OwnMachine(requirement, {vendor: max(filter(None, counts))}, None, None)
        shapes = [_shapes().get(value, ()) for value in requirement.values]
        if requirement.key in TYPE and all(shapes):
            return _of_shapes(requirement, [shape for same in shapes for shape in same])
    return None


def _of_ec2(requirement: Requirement, instances: tuple[hardware.Instance, ...]) -> OwnMachine:
    devices: dict[str, int] = {}
    for instance in instances:
        # Of a part of a GPU, EC2 reports none.
        devices[instance.maker] = max(devices.get(instance.maker, 1), instance.gpus)
    memory = max(instance.memory for instance in instances) << 20
    return OwnMachine(requirement, devices, max(instance.cpu for instance in instances), memory)


def _of_shapes(requirement: Requirement, shapes: list[tuple[str, NodeShape]]) -> OwnMachine:
    devices: dict[str, int] = {}
    for vendor, shape in shapes:
        devices[vendor] = max(devices.get(vendor, 0), shape.gpus)
    return OwnMachine(
        requirement,
        devices,
        max(shape.cpu for _, shape in shapes),
        max(shape.memory for _, shape in shapes),
    )


def _has_no_accelerator(key: str, value: str) -> bool:
    if key in FAMILY:
        return _EC2_WITHOUT.fullmatch(f"{value}.large") is not None
    return key in TYPE and bool(_EC2_WITHOUT.fullmatch(value) or _AZURE_WITHOUT.fullmatch(value))


@cache
def _counting() -> dict[str, str]:
    """Return the labels with the number of a node's GPUs, each with the vendor."""
    return {
        labeller.keys["count"]: labeller.vendor
        for labeller in hardware.labellers().values()
        if "count" in labeller.keys
    }


@cache
def _shapes() -> dict[str, tuple[tuple[str, NodeShape], ...]]:
    """Return the machines of all clouds by instance type, each with the vendor of its devices."""
    shapes_by_name: dict[str, tuple[tuple[str, NodeShape], ...]] = {}
    for model in hardware.models():
        for shape in () if model.whole else hardware.node_shapes(model):
            if shape.instance and not shape.instance.startswith(_VARIABLE):
                shapes_by_name[shape.instance] = (
                    *shapes_by_name.get(shape.instance, ()),
                    (model.vendor, shape),
                )
    return shapes_by_name
