"""Conditions that bind a pod to GPU nodes, besides its requested devices."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gpuspec.hardware.capacity import SPOT_LABELS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from gpuspec.fleet.match import Requirement


def in_every(ways: Sequence[tuple[Requirement, ...]]) -> list[Requirement]:
    """Return the conditions that every one of several alternatives has."""
    first, *others = ways or [()]
    if not others:
        return list(first)
    shared = [
        {
            (requirement.key, requirement.operator, requirement.values)
            for requirement in requirements
        }
        for requirements in others
    ]
    return [
        requirement
        for requirement in first
        if all((requirement.key, requirement.operator, requirement.values) in s for s in shared)
    ]


def pins(
    conditions: Sequence[Requirement], own_labels: Container[tuple[str, str]] = ()
) -> list[Requirement]:
    """Return those of some conditions that only GPU nodes meet: by a label of accelerators, or by
    one of `own_labels`, the labels that the nodes of a profile's pools have."""
    return [
        condition
        for condition in conditions
        if (condition.operator in ("Exists", "Gt") and is_gpu_key(condition.key))
        or (condition.operator == "In" and _binds(condition, own_labels))
    ]


def is_gpu_key(key: str) -> bool:
    """Return whether a node label with this key describes accelerators: model, count, sharing …"""
    from gpuspec import hardware

    if key in _gpu_keys():
        return True
    return key.startswith(("nvidia.com/gpu", "nvidia.com/mig", "amd.com/gpu")) and (
        hardware.is_label_key(key)
    )


def _binds(requirement: Requirement, own_labels: Container[tuple[str, str]]) -> bool:
    if not requirement.values or set(requirement.values) <= {"false", "0", ""}:
        return False
    if is_gpu_key(requirement.key):
        return True
    general = (
        requirement.key.rpartition("/")[0].endswith("kubernetes.io")
        or requirement.key in SPOT_LABELS
    )
    return not general and all(
        (requirement.key, value) in own_labels for value in requirement.values
    )


@cache
def _gpu_keys() -> frozenset[str]:
    from gpuspec import hardware

    # The name of an Azure machine is not there for its GPUs.
    return frozenset(
        key
        for labeller in hardware.labellers().values()
        for property_name, key in labeller.keys.items()
        if property_name != "instance"
    )
