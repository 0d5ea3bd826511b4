"""Karpenter's NodePools of a set: the zones of their nodes, and whether these have GPUs.

Sources: Karpenter 1.14 (its CRDs; the labels of its provider for AWS), AWS's names of instances: a
family that begins with `g` or `p` and a number has GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import is_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.fleet.match import Requirement
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

ZONE = "topology.kubernetes.io/zone"
_FAMILY = ("karpenter.k8s.aws/instance-family", "node.kubernetes.io/instance-type")
_CATEGORY = "karpenter.k8s.aws/instance-category"
_SIMULATED = "kwok"
_GPU = ("instance-gpu-", "sku-gpu-")


class NodePool(msgspec.Struct, frozen=True):
    """Known properties of a NodePool's nodes."""

    object: Object
    zones: frozenset[str] | None
    """None if it states none."""
    gpus: bool | None
    """None if unknown."""


def node_pools(collection: Collection) -> tuple[NodePool, ...]:
    """Return all NodePools of a set."""
    return collection.once(_all)


def _all(collection: Collection) -> tuple[NodePool, ...]:
    objects = collection.of("karpenter.sh", "NodePool")
    return tuple(NodePool(obj, _zones(obj), _has_gpus(obj)) for obj in objects)


def given(obj: Object) -> dict[str, frozenset[str]]:
    """Return the possible values of a node label, by its labels and requirements."""
    labels = mapping(mapping(mapping(obj.spec.get("template")).get("metadata")).get("labels"))
    values_of_label = {
        key: frozenset((value,))
        for key, value in labels.items()
        if isinstance(key, str) and isinstance(value, str)
    }
    for key, operator, values in _wanted(obj):
        if operator == "In" and values:
            values_of_label[key] = values_of_label.get(key, frozenset(values)) & frozenset(values)
    return values_of_label


def template(obj: Object) -> dict[str, Any]:
    """Return the template of its nodes."""
    return mapping(mapping(obj.spec.get("template")).get("spec"))


def requirements_of(obj: Object) -> list[Requirement]:
    """Return its requirements on machines; paths are from the document's root."""
    from gpuspec.fleet.match import Requirement

    at = obj.path("spec", "template", "spec", "requirements")
    requirements: list[Requirement] = []
    for index, row in enumerate(map(mapping, items(template(obj).get("requirements")))):
        values = tuple(value for value in items(row.get("values")) if isinstance(value, str))
        requirements.append(
            Requirement(text(row.get("key")), text(row.get("operator")), values, (*at, index))
        )
    return requirements


def is_simulated(obj: Object) -> bool:
    """Return whether its nodes run nothing, as in a test."""
    return _SIMULATED in text(mapping(template(obj).get("nodeClassRef")).get("group"))


def is_for_gpus(obj: Object) -> bool:
    """Return whether a taint or a limit of a GPU resource shows that it is for pods with GPUs."""
    taints = map(mapping, items(template(obj).get("taints")))
    keys = [text(taint.get("key")) for taint in taints] + [
        text(key) for key in mapping(obj.spec.get("limits"))
    ]
    return any(map(hardware.is_gpu_resource, keys))


def _wanted(obj: Object) -> Iterator[tuple[str, str, list[str]]]:
    for row in requirements_of(obj):
        yield row.key, row.operator, list(row.values)


def _zones(obj: Object) -> frozenset[str] | None:
    for key, operator, values in _wanted(obj):
        if key == ZONE and operator == "In" and values:
            return frozenset(values)
    return None


def _has_gpus(obj: Object) -> bool | None:
    taints = map(mapping, items(template(obj).get("taints")))
    if any(hardware.is_gpu_resource(text(taint.get("key"))) for taint in taints):
        return True
    for key, operator, values in _wanted(obj):
        if any(word in key for word in _GPU):
            return None if operator in ("DoesNotExist", "NotIn", "Lt") else True
        if operator == "In" and (key in _FAMILY or key == _CATEGORY) and values:
            with_gpus = [_is_gpu_family(value, bare=key == _CATEGORY) for value in values]
            return all(with_gpus) if all(with_gpus) or not any(with_gpus) else None
    return None


def _is_gpu_family(name: str, *, bare: bool) -> bool:
    return name[:1] in ("g", "p") and (bare or is_digits(name[1:2]))
