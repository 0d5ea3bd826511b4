"""EC2's GPU instances that meet requirements on node labels, as Karpenter and EKS Auto Mode set
them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.fleet.labels import ARCH, node_labels
from gpuspec.numbers import parse_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.match import Requirement
    from gpuspec.hardware import Instance

TYPE = (hardware.INSTANCE_TYPE, "beta.kubernetes.io/instance-type")
_OCI_SHAPE = re.compile(r"(?:BM|VM)\.GPU[A-Za-z0-9.-]*\.([0-9]{1,2})", re.ASCII)
"""`BM.GPU4.8`, `BM.GPU.GB200-v3.4`."""
_AUTO = "eks.amazonaws.com"
_OWNERS = ("karpenter.k8s.aws", _AUTO)
FAMILY = tuple(f"{owner}/instance-family" for owner in _OWNERS)
_DOTLESS = (*FAMILY, *(f"{owner}/instance-size" for owner in _OWNERS))
_LOWER = (
    *_DOTLESS,
    *(f"{owner}/instance-{part}" for owner in _OWNERS for part in ("category", "gpu-name")),
    *(f"{owner}/instance-gpu-manufacturer" for owner in _OWNERS),
)
# What a template or a person is to fill in may be anything.
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")


class Fitting(msgspec.Struct, frozen=True):
    """The remaining machine types of some requirements, all of which are known."""

    named: Requirement
    """The first requirement that names them: by their families or types."""
    instances: tuple[Instance, ...]
    """Those that meet all requirements; empty if none does."""
    without: Requirement | None
    """The requirement after which none was left."""
    had: tuple[str, ...] = ()
    """The values of its label among the machine types that meet the requirements before it."""


def fitting(requirements: Sequence[Requirement]) -> Fitting | None:
    """Return the machine types that meet all requirements; None if no requirement names only known
    ones."""
    naming = [requirement for requirement in requirements if _named(requirement)]
    if not naming:
        return None
    first = naming[0]
    remaining = _named(first)
    for requirement in (
        *naming[1:],
        *(
            other_requirement
            for other_requirement in requirements
            if other_requirement not in naming
        ),
    ):
        instances = tuple(instance for instance in remaining if _meets(instance, requirement))
        if not instances:
            return Fitting(first, (), requirement, _values(remaining, requirement.key))
        remaining = instances
    return Fitting(first, remaining, None)


def excluded_by(instance: Instance, requirements: Sequence[Requirement]) -> Requirement | None:
    """Return the first requirement that a machine type does not meet; None if it meets all."""
    return next(
        (requirement for requirement in requirements if not _meets(instance, requirement)), None
    )


def impossible(requirement: Requirement) -> str | None:
    """Return why no machine type of EC2 has a value of the requirement: the form of valid values.
    None if one may have it.

    Source: EC2 writes its types in lower case, family, dot and size; Karpenter takes them apart
    (pkg/providers/instancetype/types.go).
    """
    key, values = requirement.key, requirement.values
    if requirement.operator != "In" or not values or not all(map(_PLAIN.fullmatch, values)):
        return None
    if key in TYPE and not any("." in value for value in values):
        return "write a family and a size, such as `g6.xlarge`"
    if key in _DOTLESS and all("." in value for value in values):
        part = key.rpartition("-")[2]
        return f"write only the {part}, such as `{'g6' if part == 'family' else 'xlarge'}`"
    if key in (*TYPE, *_LOWER) and all(value != value.lower() for value in values):
        return "write the value in lower case"
    return None


def oci_gpus(requirements: Sequence[Requirement]) -> int | None:
    """Return the most GPUs of a node of the OCI shapes in some requirements: a shape's name ends in
    its GPUs. None if no requirement names only such shapes."""
    for requirement in requirements:
        if requirement.key in TYPE and requirement.operator == "In" and requirement.values:
            shapes = [_OCI_SHAPE.fullmatch(value) for value in requirement.values]
            counts = [parse_whole(shape[1]) for shape in shapes if shape is not None]
            if len(counts) == len(shapes):
                return max(counts)
    return None


def labels_of(instance: Instance) -> dict[str, str]:
    """Return the labels of its nodes that follow from the machine type."""
    category = instance.family[: next(i for i, c in enumerate(instance.family) if not c.isalpha())]
    facts = {
        "category": category,
        "family": instance.family,
        "size": instance.size,
        "cpu": str(instance.cpu),
        "memory": str(instance.memory),
        "gpu-count": str(instance.gpus),
        "gpu-manufacturer": instance.maker,
        "gpu-name": instance.gpu,
    }
    labels = {f"{owner}/instance-{key}": value for owner in _OWNERS for key, value in facts.items()}
    if not instance.gpus:
        # Whether Auto Mode counts a part of a GPU is not known.
        del labels[f"{_AUTO}/instance-gpu-count"]
    return labels | dict.fromkeys(TYPE, instance.name) | dict.fromkeys(ARCH, instance.architecture)


def _named(requirement: Requirement) -> tuple[Instance, ...]:
    """Return the machine types of a requirement's values; empty if any is unknown."""
    if requirement.operator != "In" or not requirement.values:
        return ()
    if requirement.key in FAMILY:
        families = hardware.instances()
        if all(value in families for value in requirement.values):
            return tuple(family for value in requirement.values for family in families[value])
    elif requirement.key in TYPE:
        instances = [hardware.instance(value) for value in requirement.values]
        return (
            tuple(instance for instance in instances if instance is not None)
            if all(instances)
            else ()
        )
    return ()


def _meets(instance: Instance, requirement: Requirement) -> bool:
    labels = labels_of(instance)
    return requirement.key not in labels or requirement.allows(node_labels(labels))


def _values(some: Sequence[Instance], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels_of(instance)[key] for instance in some))
