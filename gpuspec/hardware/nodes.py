"""Common nodes, used if no profile describes the nodes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.hardware.catalog import models
from gpuspec.hardware.instances import instance, instances
from gpuspec.hardware.model import GpuShare, NodeShape
from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.hardware.model import GpuModel

INSTANCE_TYPE = "node.kubernetes.io/instance-type"


@cache
def _shapes() -> dict[str, tuple[NodeShape, ...]]:
    whole = table("nodes")
    return {
        model: tuple(
            _shape(row.split(), model, whole["sources"][source])
            for source, rows in by_source.items()
            for row in rows
        )
        for model, by_source in whole["nodes"].items()
    }


def _shape(words: list[str], model: str, source: str) -> NodeShape:
    instance, gpus, cpu, mib = words
    return NodeShape(instance, model, of_digits(gpus), of_digits(cpu), of_digits(mib) << 20, source)


def node_shapes(model: GpuModel) -> tuple[NodeShape, ...]:
    """Return common nodes with this GPU; empty if no provider's table has any."""
    if model.whole is None:
        return _shapes().get(model.name, ())
    parts = model.whole.memory // model.memory
    return tuple(
        replace(shape, model=model.name, gpus=shape.gpus * parts)
        for shape in node_shapes(model.whole)
    )


def machine(name: str, model: GpuModel) -> NodeShape | None:
    """Return the machine of an instance type; None if no table has it with this GPU."""
    if not name:
        return None
    for shape in node_shapes(model):
        if shape.instance == name:
            return shape
    sold, whole = instance(name), model.whole or model
    if sold is None or sold.gpu.partition("-")[0] != whole.name.lower().partition("-")[0]:
        return None
    return NodeShape(
        name, model.name, sold.gpus, sold.cpu, sold.memory << 20, table("instances")["source"]
    )


def family_models(family: str) -> tuple[GpuModel, ...]:
    """Return the GPU models of the known machines of a family of instance types, such as `inf2`."""
    by_machine = _machine_models().items()
    by_name = {
        model.name: model
        for machine_name, gpu_models in by_machine
        if machine_name.startswith(f"{family}.")
        for model in gpu_models
    }
    return tuple(by_name.values())


def machine_models(name: str) -> tuple[GpuModel, ...]:
    """Return the GPU models that a machine of an instance type may have; empty if unknown.

    All sizes of a family have the same model.
    """
    by_machine = _machine_models()
    sold = instance(name)
    if name in by_machine or sold is None or not sold.gpus:
        return by_machine.get(name, ())
    siblings = [by_machine.get(sibling.name, ()) for sibling in instances()[sold.family]]
    by_name = {model.name: model for gpu_models in siblings for model in gpu_models}
    return tuple(by_name.values())


@cache
def _machine_models() -> Mapping[str, tuple[GpuModel, ...]]:
    index: dict[str, tuple[GpuModel, ...]] = {}
    for model in models():
        for shape in () if model.whole else node_shapes(model):
            index[shape.instance] = (*index.get(shape.instance, ()), model)
    return index


def common_share(model: GpuModel) -> GpuShare | None:
    """Return the vCPUs and memory that any common node has for each of its GPUs, without
    reservations."""
    shapes = node_shapes(model)
    if not shapes:
        return None
    cpu_from = min(shapes, key=lambda shape: shape.cpu / shape.gpus)
    memory_from = min(shapes, key=lambda shape: shape.memory / shape.gpus)
    return GpuShare(
        cpu=cpu_from.cpu // cpu_from.gpus,
        cpu_from=cpu_from,
        memory=memory_from.memory // memory_from.gpus,
        memory_from=memory_from,
    )
