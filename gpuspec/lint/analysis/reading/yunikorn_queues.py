"""Queues, limits and placement rules that YuniKorn rejects although it can decode them.

Sources: apache/yunikorn-core at be3bb4872 pkg/common/configs/configvalidator.go, pkg/common/resources,
pkg/scheduler/placement, pkg/scheduler/policies, pkg/scheduler/objects/queue.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.program_fault import ProgramFault
from gpuspec.manifests import Quantity, parse_quantity
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path

_YUNIKORN = "YuniKorn rejects the file and keeps its previous queues"
_RULES = ("provided", "tag", "user", "fixed")
_RULES_UNREAD = "YuniKorn loads none of the rules"
_POLICIES = {
    "application.sort.policy": ("fifo", "fair", "stateaware"),
    "preemption.policy": ("default", "fence", "disabled"),
    "priority.policy": ("default", "fence"),
}
"""The accepted values of a queue's property, the default first."""


class _ParentLimit(msgspec.Struct, frozen=True):
    """The maximum of a resource for a queue's children, and the queue that sets it."""

    amount: Quantity
    queue: str


def faults(value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield what YuniKorn rejects, or does not use, of its queues."""
    for index, partition in enumerate(items(value.get("partitions"))):
        for place, queue in enumerate(items(mapping(partition).get("queues"))):
            path = ("partitions", index, "queues", place)
            if text(mapping(queue).get("name")) == "root" and mapping(queue).get("resources"):
                yield ProgramFault(
                    (*path, "resources"),
                    f"the queue `root` has `resources`: {_YUNIKORN}",
                    "set the resources on the queues below it",
                )
            yield from _queue(mapping(queue), path, {})
        for place, rule in enumerate(items(mapping(partition).get("placementrules"))):
            yield from _rule(mapping(rule), ("partitions", index, "placementrules", place))


def _queue(
    queue: dict[str, Any], path: Path, most: dict[str, _ParentLimit]
) -> Iterator[ProgramFault]:
    """Yield amounts of a queue and of those below it that are above what bounds them."""
    name = text(queue.get("name"))
    limits = _amounts(queue, "max")
    yield from _limits(queue, path)
    yield from _ignored(queue, path)
    yield from _applications(queue, path)
    for resource, amount in limits.items():
        total = _guaranteed_below(queue, resource)
        if total is not None and total > amount:
            yield _above(
                (*path, "resources", "max", resource),
                f"queue `{name}` has at most {amount} `{resource}`, less than the {total} that the "
                "queues below it are guaranteed",
            )
    for resource, amount in limits.items():
        bound = most.get(resource)
        if bound is not None and amount > bound.amount:
            yield _above(
                (*path, "resources", "max", resource),
                f"queue `{name}` has at most {amount} `{resource}`, more than the {bound.amount} of "
                f"its parent `{bound.queue}`",
            )
    for resource, amount in _amounts(queue, "guaranteed").items():
        if resource in limits and amount > limits[resource]:
            yield _above(
                (*path, "resources", "guaranteed", resource),
                f"queue `{name}` is guaranteed {amount} `{resource}`, but has at most {limits[resource]}",
            )
    inner = {**most, **{key: _ParentLimit(amount, name) for key, amount in limits.items()}}
    for index, child in enumerate(items(queue.get("queues"))):
        yield from _queue(mapping(child), (*path, "queues", index), inner)


def _guaranteed_below(queue: dict[str, Any], resource: str) -> Quantity | None:
    """Return the total guarantee of a resource for a queue's children."""
    amounts = [
        amount
        for child in map(mapping, items(queue.get("queues")))
        if (amount := _amounts(child, "guaranteed").get(resource)) is not None
    ]
    return Quantity(sum(amount.value for amount in amounts)) if amounts else None


def _rule(rule: dict[str, Any], path: Path) -> Iterator[ProgramFault]:
    """Yield rules that YuniKorn cannot build, and those above them."""
    name = text(rule.get("name")).lower()
    if name not in _RULES:
        yield ProgramFault(
            (*path, "name"),
            f"YuniKorn has no placement rule `{text(rule.get('name'))}`: {_RULES_UNREAD}",
            f"write {choice_of(_RULES)}",
        )
    elif name in ("fixed", "tag") and not rule.get("value"):
        subject = "name of a queue" if name == "fixed" else "name of a tag, such as `namespace`"
        yield ProgramFault(
            (*path, "value"),
            f"the rule `{name}` has no `value`: {_RULES_UNREAD}",
            f"set `value` to the {subject}",
        )
    kind = text(mapping(rule.get("filter")).get("type"))
    if kind.lower() not in ("", "allow", "deny"):
        yield ProgramFault(
            (*path, "filter", "type"),
            f"`type` must be `allow` or `deny`, not `{kind}`: {_YUNIKORN}",
            "write `allow` or `deny`",
        )
    if isinstance(rule.get("parent"), dict):
        yield from _rule(rule["parent"], (*path, "parent"))


def _limits(queue: dict[str, Any], path: Path) -> Iterator[ProgramFault]:
    """Yield limits without users, without values, with names of earlier limits, and above the
    queue's own."""
    limited_names: dict[str, set[str]] = {"users": set(), "groups": set()}
    most = {} if text(queue.get("name")) == "root" else _amounts(queue, "max")
    for index, limit in enumerate(map(mapping, items(queue.get("limits")))):
        at = (*path, "limits", index)
        if not items(limit.get("users")) and not items(limit.get("groups")):
            yield ProgramFault(
                at,
                f"the limit names no users and no groups: {_YUNIKORN}",
                'add `users: ["*"]` for a limit of each user',
            )
        if not limit.get("maxapplications") and not limit.get("maxresources"):
            yield ProgramFault(
                at,
                f"the limit has neither `maxresources` nor `maxapplications`: {_YUNIKORN}",
                "add `maxresources`, or remove the limit",
            )
        for field, names in limited_names.items():
            yield from _names(field, names, items(limit.get(field)), at)
        for resource, amount in _read(limit.get("maxresources")).items():
            if resource in most and amount > most[resource]:
                yield _above(
                    (*at, "maxresources", resource),
                    f"the limit of {amount} `{resource}` is above the {most[resource]} of queue "
                    f"`{text(queue.get('name'))}`",
                )


def _names(
    field: str, limited_names: set[str], names: list[Any], at: Path
) -> Iterator[ProgramFault]:
    """Yield names that cannot follow those of earlier limits, and add them."""
    for name in filter(None, map(text, names)):
        if name in limited_names:
            yield ProgramFault(
                (*at, field),
                f"`{name}` has a limit already: {_YUNIKORN}",
                "join the two limits",
            )
        elif "*" in limited_names:
            yield ProgramFault(
                at,
                f"a limit of some {field} stands behind the limit of `*`: {_YUNIKORN}",
                "move the limit of `*` to the end",
            )
        limited_names.add(name)
    if field == "groups" and limited_names == {"*"}:
        yield ProgramFault(
            (*at, field),
            f"the only limit of groups is that of `*`: {_YUNIKORN}",
            "limit the queue itself with `resources.max`, or a group by its name first",
        )


def _ignored(queue: dict[str, Any], path: Path) -> Iterator[ProgramFault]:
    """Yield settings of a queue that have no effect, and lists of access with a third part."""
    for field in ("guaranteed", "max"):
        if "cpu" in mapping(mapping(queue.get("resources")).get(field)):
            yield ProgramFault(
                (*path, "resources", field, "cpu"),
                "YuniKorn counts CPUs as `vcore`: an amount of `cpu` limits no pod",
                "write `vcore` instead of `cpu`",
                "warning",
            )
    for key, words in _POLICIES.items():
        word = mapping(queue.get("properties")).get(key)
        if isinstance(word, str) and word and word.lower() not in words:
            yield ProgramFault(
                (*path, "properties", key),
                f"`{key}` must be {choice_of(words)}, not `{word}`: YuniKorn uses `{words[0]}`",
                f"write {choice_of(words)}",
                "warning",
            )
    for field in ("submitacl", "adminacl"):
        if len(text(queue.get(field)).split()) > 2:
            yield ProgramFault(
                (*path, field),
                f"`{field}` has more than two parts: {_YUNIKORN}",
                "write users with commas, a space, then groups with commas: `alice,bob ml,ops`",
            )


def _applications(queue: dict[str, Any], path: Path) -> Iterator[ProgramFault]:
    """Yield a child with more applications than its parent, or with any number of them."""
    most = queue.get("maxapplications")
    if not isinstance(most, int) or not most:
        return
    for index, child in enumerate(map(mapping, items(queue.get("queues")))):
        count = child.get("maxapplications") or 0
        if isinstance(count, int) and (count > most or not count):
            yield ProgramFault(
                (*path, "queues", index),
                f"`maxapplications` of queue `{text(child.get('name'))}` must be from 1 to {most}, "
                f"as its parent has: {_YUNIKORN}",
                f"set `maxapplications: {most}` or less",
            )


def _above(path: Path, says: str) -> ProgramFault:
    return ProgramFault(
        path,
        f"{says}: {_YUNIKORN}",
        "raise the outer amount, or lower the inner one",
    )


def _amounts(queue: dict[str, Any], field: str) -> dict[str, Quantity]:
    """Return the amounts of a field that can be read; `vcore` counts CPUs as Kubernetes does."""
    return _read(mapping(queue.get("resources")).get(field))


def _read(amounts_value: object) -> dict[str, Quantity]:
    amounts = {}
    for resource, amount in mapping(amounts_value).items():
        try:
            amounts[resource] = parse_quantity(str(amount))
        except ValueError:
            continue
    return amounts
