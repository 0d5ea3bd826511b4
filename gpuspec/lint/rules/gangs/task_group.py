"""A task group of YuniKorn that does not fit the pods which are in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.enumeration import choice_of
from gpuspec.keys.readers import read_json
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.objects.amounts import all_amounts, at_once
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU420",
    "task-group",
    "warning",
    "A YuniKorn task group reserves too little for its pods, or requires more pods than exist",
)
_GROUPS, _NAME = "yunikorn.apache.org/task-groups", "yunikorn.apache.org/task-group-name"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the groups that a pod's annotation tells, and the one of them that it is in."""
    annotation, name = pod.annotations.get(_GROUPS), text(pod.annotations.get(_NAME))
    if pod.metadata_path is None or not isinstance(annotation, str):
        return
    groups = [mapping(group_value) for group_value in items(read_json(annotation))]
    if not groups:
        return
    path = (*pod.metadata_path, "annotations", _GROUPS)
    lacks = [
        field
        for field in ("name", "minMember", "minResource")
        if any(not g.get(field) for g in groups)
    ]
    if lacks:
        yield RawFinding(
            path,
            f"YuniKorn ignores a task group without {names(lacks)}: the pods form no gang",
            note=f"add {names(lacks)} to each task group",
        )
        return
    own_groups = [group for group in groups if text(group.get("name")) == name]
    if own_groups:
        yield from _group(pod, own_groups[0], path)
    elif name:
        there = choice_of(sorted(text(group.get("name")) for group in groups))
        yield RawFinding(
            (*path[:-1], _NAME),
            (f"`{name}` is not a task group in `{_GROUPS}`: YuniKorn does not start the pod"),
            note=f"write {there}",
        )


def _group(pod: Pod, group: dict[str, Any], path: Path) -> Iterator[RawFinding]:
    least, count, name = whole(group.get("minMember")), at_once(pod), text(group.get("name"))
    if least is not None and pod.role.count is not None and least > count:
        yield RawFinding(
            path,
            f"task group `{name}` requires {least} pods, but there are {count}: YuniKorn holds "
            "the resources of the missing pods until the timeout",
            note=f"set `minMember` to {count}, or create {least} pods",
            confidence="likely",
        )
    reserved = mapping(group.get("minResource"))
    for resource, amount in all_amounts(pod).items():
        reserved_amount = quantity(reserved.get(resource))
        if reserved_amount is None and resource in reserved:
            continue
        has = amount * 0 if reserved_amount is None else reserved_amount.value
        if has < amount and ("/" in resource or resource in reserved):
            yield RawFinding(
                path,
                f"task group `{name}` reserves {shown(resource, has)} for a pod, but the pod "
                f"requests {shown(resource, amount)}: the pod does not fit its reservation and "
                "has to wait again",
                note=f"set `{resource}` in `minResource` to the pod's request",
                confidence="likely",
            )
