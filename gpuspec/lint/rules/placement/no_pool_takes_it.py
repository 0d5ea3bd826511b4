"""A pod that is bound to Karpenter's NodePools of the set, or to a ComputeClass of GKE, that make no
node for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement import compute_classes
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.placement.instances import excluded_by
from gpuspec.lint.analysis.placement.made_nodes import DISK, binding, capacity, rejections
from gpuspec.lint.analysis.placement.node_pools import given, requirements_of
from gpuspec.lint.analysis.placement.placing import in_all, names, required, requirement_path
from gpuspec.lint.analysis.placement.taints import tolerate, written
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.amounts import all_amounts, written_at
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.lint.analysis.placement.made_nodes import PoolRejection
    from gpuspec.lint.analysis.placement.node_disks import NodeDisk
    from gpuspec.lint.model import Fix
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU215",
    "no-pool-takes-it",
    "warning",
    "The Karpenter NodePool or the ComputeClass that a pod selects creates no node that fits it",
    gives_way=("GPU213", "GPU415"),
    fix="unsafe",
)

_UNDEFINED = (
    "define the label in the NodePool's template or requirements: Karpenter ignores it otherwise"
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that every selected NodePool rejects; with a profile, its pools decide where they
    run."""
    if context.placed:
        return
    bound = binding(pod, context)
    if bound is None:
        yield from _of_class(pod, context)
        return
    turned_away = rejections(pod, context)
    if len(turned_away) < len(bound.pools):
        return
    first = next(iter(turned_away.values()))
    path, why, note = _said(pod, first)
    others = [pool.name for pool in bound.pools if pool.number != first.pool.number]
    more = f" ({names(others)} do not fit either, for other reasons)" if others else ""
    yield RawFinding(
        path,
        f"the pod stays Pending: {why}",
        note=note + more,
        confidence="certain" if bound.by_name and first.is_written else "likely",
        related=(
            RelatedPlace(
                first.pool.number, first.pool.path("spec", "template", "spec"), "its nodes"
            ),
        ),
        fix=_fix(pod, list(turned_away.values())),
    )


def _of_class(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield a pod that selects a ComputeClass, if all priorities of that have other or fewer GPUs
    than requested."""
    bound = compute_classes.binding(pod, context)
    rows = compute_classes.priorities(bound.node_class) if bound is not None else []
    with_gpus = [row for row in rows if row is not None and row.is_whole and row.count]
    if bound is None or not with_gpus or len(with_gpus) < len(rows):
        return
    node_class = f"ComputeClass `{bound.node_class.name}`"
    most, requested = max(row.count or 0 for row in with_gpus), all_amounts(pod).get(_GPU, 0)
    path, why, note = pod.path(), "", ""
    for requirement in in_all(pod):
        has = list(dict.fromkeys(row.gpu for row in with_gpus))
        if requirement.key == compute_classes.ACCELERATOR and not {*requirement.values} & {*has}:
            path = requirement_path(pod, requirement)
            why = f"no priority of {node_class} has {required(requirement)}"
            note = f"write {choice_of(has)}, or remove the requirement"
    if requested > most:
        path = written_at(pod, _GPU)
        why = f"it requests {shown(_GPU, requested)}, but a node of {node_class} has {most} at most"
        note = "raise `gpu.count` in a priority of the class, or request less"
    if why:
        yield RawFinding(
            path,
            f"the pod stays Pending: {why}",
            note=note,
            confidence="likely",
            related=(
                RelatedPlace(bound.node_class.number, with_gpus[0].path, "its first priority"),
            ),
        )


_GPU = "nvidia.com/gpu"
_OTHER = "select another NodePool, or allow other instance types"


def _said(pod: Pod, rejection: PoolRejection) -> tuple[Path, str, str]:
    """Return the path of the pod's unmet requirement, the reason, and what to write instead."""
    pool = f"NodePool `{rejection.pool.name}`"
    if rejection.why == "taint":
        taints = names([written(taint) for taint in rejection.taints])
        return (
            pod.path("tolerations"),
            f"nodes of {pool} are tainted {taints}, which the pod does not tolerate",
            f"tolerate {taints}, or select another NodePool",
        )
    if rejection.disk is not None:
        return _disk(pod, rejection.disk, pool)
    if rejection.why == "resource":
        return _resource(pod, rejection, pool)
    requirement = rejection.requirement
    if requirement is None:
        return pod.path(), f"no instance type of {pool} meets its node selector", _OTHER
    path = requirement_path(pod, requirement)
    if rejection.why == "machines":
        return path, f"no instance type that {pool} allows has {required(requirement)}", _OTHER
    has = given(rejection.pool).get(requirement.key)
    note = f"write {choice_of(sorted(has))}" if has else _UNDEFINED
    return path, f"{pool} creates no node with {required(requirement)}", note


def _disk(pod: Pod, disk: NodeDisk, pool: str) -> tuple[Path, str, str]:
    requested, node_class = all_amounts(pod)[DISK], disk.node_class
    field = node_class.kind + " `" + node_class.name + "`"
    note = f"raise the disk's size in {field}"
    if node_class.kind == "EC2NodeClass":
        note += ", or set `instanceStorePolicy: RAID0` if the instance types have local disks"
    message = (
        f"it requests {shown(DISK, requested)}, but the disk of a node of {pool} has "
        f"{shown(DISK, disk.size)}"
    )
    return written_at(pod, DISK), message, note


def _resource(pod: Pod, rejection: PoolRejection, pool: str) -> tuple[Path, str, str]:
    resource = rejection.resource
    requested = all_amounts(pod)[resource]
    has = shown(resource, rejection.most) + " at most" if rejection.most else f"no `{resource}`"
    message = f"it requests {shown(resource, requested)}, but an instance of {pool} has {has}"
    only = names([instance.name for instance in rejection.instances])
    note = f"allow other instance types, or select another NodePool: {pool} allows only {only}"
    families = dict.fromkeys(instance.family for instance in rejection.instances)
    enough = [
        instance
        for family in families
        for instance in hardware.instances()[family]
        if (capacity(instance, resource) or 0) >= requested
    ]
    if enough:
        larger = f"`{enough[0].name}` ({shown(resource, capacity(enough[0], resource) or 0)})"
        excluding = excluded_by(enough[0], requirements_of(rejection.pool))
        where = "" if excluding is None else f" in the requirement `{excluding.key}`"
        note = f"allow {larger}{where}, or select another NodePool: {pool} allows only {only}"
        return written_at(pod, resource), message, note
    resources = {f"{instance.maker}.com/gpu" for instance in rejection.instances}
    if resources == {resource} and not rejection.most:
        note += ", with a part of a GPU, which Karpenter counts as 0"
    elif not rejection.most and len(resources) == 1:
        note += f", which have `{resources.pop()}`"
    return written_at(pod, resource), message, note


def _fix(pod: Pod, all_of_them: list[PoolRejection]) -> Fix | None:
    """Return the tolerations of the one pool's taints: whether the pod may run there is for people
    to decide."""
    (first, *others) = all_of_them
    fix = None if others or not first.taints else tolerate(pod, list(first.taints))
    return None if fix is None else replace(fix, safe=False)
