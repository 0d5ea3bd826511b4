"""The nodes that the priorities of a GKE ComputeClass describe, as far as tables of machines know them.

Sources: GoogleCloudPlatform/compute-class-api at 8067eae cloud.google.com_computeclasses.yaml, api/cloud.google.com/v1;
docs.cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes; the machines: gpuspec/hardware/data.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.analysis.reading.names import near
from gpuspec.manifests.values import items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object, Pod

GROUP, KIND = "cloud.google.com", "ComputeClass"
ACCELERATOR = "cloud.google.com/gke-accelerator"
_CLASS = "cloud.google.com/compute-class"
# Machines of Compute Engine with GPUs of their own; GPUs are attached to those of n1.
_MACHINE = re.compile(r"[a-z][a-z0-9]*-[a-z]+-[a-z0-9-]+", re.ASCII)
_ATTACHED = "n1"


class ClassPriority(msgspec.Struct, frozen=True):
    """One priority with a GPU."""

    gpu: str
    """The GPU as GKE labels its nodes."""
    count: int | None
    machine: str
    family: str
    path: Path
    """From the document's root."""
    is_whole: bool
    """Whether a node advertises each GPU once, and whole."""


class ClassBinding(msgspec.Struct, frozen=True):
    """The class that a pod selects, and the requirement that says so."""

    node_class: Object
    requirement: Requirement


def priorities(node_class: Object) -> list[ClassPriority | None]:
    """Return the priorities of a class; None for one whose GPUs are not written."""
    rows: list[ClassPriority | None] = []
    for index, row in enumerate(map(mapping, items(node_class.spec.get("priorities")))):
        gpu = mapping(row.get("gpu"))
        rows.append(
            ClassPriority(
                text(gpu.get("type")),
                whole(gpu.get("count")),
                text(row.get("machineType")),
                text(row.get("machineFamily")) or text(row.get("machineType")).partition("-")[0],
                node_class.path("spec", "priorities", index),
                gpu.keys() <= {"type", "count", "driverVersion"},
            )
            if gpu.get("type")
            else None
        )
    return rows


def binding(pod: Pod, context: Context) -> ClassBinding | None:
    """Return the class of the set that a pod selects, if it creates nodes by its priorities alone."""
    for requirement in in_all(pod):
        if requirement.key == _CLASS and requirement.operator == "In":
            (name, *others) = requirement.values or ("",)
            node_class = None if others else context.collection.named(GROUP, KIND, name)
            if node_class is None or node_class.spec.get("whenUnsatisfiable") == "ScaleUpAnyway":
                return None
            return ClassBinding(node_class, requirement)
    return None


@cache
def machines_of(gpu: str) -> dict[str, int]:
    """Return the machines of Compute Engine with a GPU of this name, and how many each has."""
    return {
        shape.instance: shape.gpus
        for model in hardware.from_label("gke", gpu)
        for shape in hardware.node_shapes(model)
        if _MACHINE.fullmatch(shape.instance)
    }


@cache
def gpus() -> tuple[str, ...]:
    """Return the names that GKE has for its GPUs."""
    return tuple(
        dict.fromkeys(name for model in hardware.models() for name in model.labels.get("gke", ()))
    )


def meant(gpu: str) -> tuple[str, ...]:
    """Return the names that a GPU which GKE does not know may stand for; empty if unknown."""
    models = hardware.find(gpu)
    if models:
        return tuple(name for model in models for name in model.labels.get("gke", ())) or gpus()
    close = near(gpu, gpus())
    return (close,) if close else ()


@cache
def machines() -> dict[str, str]:
    """Return the known machines with GPUs, each with GKE's name of its GPU."""
    return {machine: gpu for gpu in gpus() for machine in machines_of(gpu)}


def families(gpu: str) -> set[str]:
    """Return the families of machines that can have a GPU."""
    return {machine.partition("-")[0] for machine in machines_of(gpu)} or {_ATTACHED}


def is_family(family: str) -> bool:
    """Return whether a family of machines with GPUs is known."""
    return family == _ATTACHED or any(
        machine.startswith(f"{family}-") for machine in machines() if family
    )
