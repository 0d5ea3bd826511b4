"""A pod's node requirements contradict each other, or the NodePool that it names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.instances import fitting
from gpuspec.lint.analysis.placement.node_pools import given
from gpuspec.lint.analysis.placement.nodes import models_named
from gpuspec.lint.analysis.placement.placing import (
    in_all,
    names,
    required,
    requirement_path,
    requirements,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.objects import Object, Pod

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement

RULE = Rule(
    "GPU415",
    "requires-both",
    "error",
    "A pod's node requirements contradict each other or its NodePool",
    gives_way=("GPU203",),
)
_NODEPOOL = "karpenter.sh/nodepool"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield selector and affinity, one against the other; then against the NodePool of the set."""
    ways = requirements(pod)
    if ways == [()]:
        return
    apart = [_contradiction(way) for way in ways]
    if apart and None not in apart and apart[0] is not None:
        first, second = apart[0]
        yield RawFinding(
            requirement_path(pod, second),
            f"the pod stays Pending: it requires {required(first)} and {required(second)}, and "
            "no node has both",
            note="remove one of the two requirements"
            if first.key == second.key
            else f"remove the requirement of `{first.key}` or of `{second.key}`",
            related=(
                RelatedPlace(
                    pod.object.number, requirement_path(pod, first), "the other requirement"
                ),
            ),
        )
        return
    none_fits = _of_machine(pod, ways)
    if none_fits is not None:
        yield none_fits
        return
    for requirement in in_all(pod):
        if (
            requirement.key == _NODEPOOL
            and requirement.operator == "In"
            and len(requirement.values) == 1
        ):
            pool = context.collection.named("karpenter.sh", "NodePool", requirement.values[0])
            if pool is not None:
                yield from _against(pod, pool)


def _contradiction(way: tuple[Requirement, ...]) -> tuple[Requirement, Requirement] | None:
    """Return two conditions of one alternative that no node meets together."""
    by_key: dict[str, list[int]] = {}
    with_gpus: list[int] = []
    for index, requirement in enumerate(way):
        by_key.setdefault(requirement.key, []).append(index)
        if requirement.operator == "In" and models_named(requirement.key, requirement.values):
            with_gpus.append(index)
    pairs = [
        (first, second)
        for indices in by_key.values()
        for first, second in combinations(indices, 2)
        if _excludes(way[first], way[second]) or _excludes(way[second], way[first])
    ]
    pairs += [
        (first, second)
        for first, second in combinations(with_gpus, 2)
        if way[first].key != way[second].key and _other_gpu(way[first], way[second])
    ]
    if not pairs:
        return None
    first, second = min(pairs)
    return way[first], way[second]


def _of_machine(pod: Pod, ways: list[tuple[Requirement, ...]]) -> RawFinding | None:
    """Return the requirement of each alternative that none of its named machines meets.

    A warning, because a family may get a new size.
    """
    fittings = [fitting(way) for way in ways]
    first = fittings[0] if fittings else None
    if (
        first is None
        or first.without is None
        or any(not fitting_types or fitting_types.instances for fitting_types in fittings)
    ):
        return None
    return RawFinding(
        requirement_path(pod, first.without),
        f"the pod stays Pending: no instance type has {required(first.named)} and "
        f"{required(first.without)}",
        note=(
            f"allow {names(list(first.had))} for `{first.without.key}`: the required instance "
            "types have no other value"
        ),
        severity="warning",
        related=(
            RelatedPlace(pod.object.number, requirement_path(pod, first.named), "these machines"),
        ),
    )


def _excludes(requirement: Requirement, other_requirement: Requirement) -> bool:
    """Return whether two requirements on the same label exclude each other."""
    if other_requirement.operator == "DoesNotExist":
        return requirement.operator in ("In", "Exists", "Gt", "Lt")
    if requirement.operator != "In" or not requirement.values:
        return False
    if other_requirement.operator == "In":
        return bool(other_requirement.values) and set(requirement.values).isdisjoint(
            other_requirement.values
        )
    return other_requirement.operator == "NotIn" and set(requirement.values) <= set(
        other_requirement.values
    )


def _other_gpu(first: Requirement, second: Requirement) -> bool:
    """Return whether one names GPUs, or machines, that have none of those that the other names."""
    return models_named(first.key, first.values).isdisjoint(models_named(second.key, second.values))


def _against(pod: Pod, pool: Object) -> Iterator[RawFinding]:
    """Yield a pod's requirements that contradict the labels of a NodePool's nodes."""
    has = given(pool)
    for requirement in in_all(pod):
        values = has.get(requirement.key)
        if values is None or requirement.operator not in ("In", "NotIn") or not requirement.values:
            continue
        required_values = set(requirement.values)
        if (
            values.isdisjoint(required_values)
            if requirement.operator == "In"
            else values <= required_values
        ):
            yield RawFinding(
                requirement_path(pod, requirement),
                f"the pod stays Pending: NodePool `{pool.name}`, which it selects, creates no "
                f"node with {required(requirement)}",
                note=f"write {choice_of(sorted(values))}",
                related=(RelatedPlace(pool.number, pool.path("spec", "template"), "its nodes"),),
            )
