"""What programs reject of a configuration file that their decoders accept: values that do not go
together.

Sources: kubernetes-sigs/kueue at ff69552e7 pkg/config/validation.go; volcano-sh/volcano at ed72c7c8
docs/user-guide/how_to_use_capacity_plugin.md, pkg/scheduler/util.go, pkg/scheduler/plugins/deviceshare;
apache/yunikorn-core at be3bb4872 pkg/common/configs/configvalidator.go, pkg/common/resources; kubernetes/autoscaler
at 137161c0 cluster-autoscaler/expander/priority.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.reading import eksctl_groups
from gpuspec.manifests import Quantity, parse_quantity
from gpuspec.manifests.values import items, mapping, text
from gpuspec.validation.apiserver.selectors import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.settings.severity import Severity

_NAMESPACE = "kubernetes.io/metadata.name"
_SHARING = ("deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable")
_VGPU = "deviceshare.VGPUEnable"
_YUNIKORN = "YuniKorn rejects the file and keeps its previous queues"


class ProgramFault(msgspec.Struct, frozen=True):
    """Values of a file that its program rejects together."""

    path: Path
    """Inside of the file."""
    says: str
    note: str
    severity: Severity | None = None


def faults_of(title: str, value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield the faults of the file of a program, which is known by its title."""
    match title:
        case "Kueue":
            yield from _kueue(value)
        case "Volcano's scheduler":
            yield from _volcano(value)
        case "YuniKorn":
            yield from _yunikorn(value)
        case "eksctl":
            for fault in eksctl_groups.faults(value):
                severity: Severity | None = None if fault.is_certain else "warning"
                yield ProgramFault(fault.path, fault.says, fault.note, severity)


def _kueue(value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield a selector that lets Kueue manage the pods of the system, and its own."""
    if "pod" not in items(mapping(value.get("integrations")).get("frameworks")):
        return
    selector = value.get("managedJobsNamespaceSelector")
    if isinstance(selector, dict) and matches(selector, {_NAMESPACE: "kube-system"}):
        yield ProgramFault(
            ("managedJobsNamespaceSelector",),
            "`managedJobsNamespaceSelector` matches `kube-system`, and the integration `pod` is "
            "enabled: Kueue does not start",
            (
                "exclude the namespace: "
                f"`{{key: {_NAMESPACE}, operator: NotIn, values: [kube-system, kueue-system]}}`"
            ),
        )


def _volcano(value: dict[str, Any]) -> Iterator[ProgramFault]:
    """Yield plugins that exclude each other."""
    plugins = {
        text(mapping(plugin).get("name")): (("tiers", tier, "plugins", index), mapping(plugin))
        for tier, group in enumerate(items(value.get("tiers")))
        for index, plugin in enumerate(items(mapping(group).get("plugins")))
    }
    if "capacity" in plugins and "proportion" in plugins:
        yield ProgramFault(
            (*plugins["proportion"][0], "name"),
            "`proportion` and `capacity` both set the share of each queue: Volcano does not "
            "support the two together, and queues wait although GPUs are free",
            (
                "remove `proportion` to use `deserved` and `capability` of queues, or remove "
                "`capacity` to use `weight`"
            ),
            "warning",
        )
    if "deviceshare" in plugins:
        place, plugin = plugins["deviceshare"]
        arguments = mapping(plugin.get("arguments"))
        excluded = next((name for name in _SHARING if arguments.get(name) is True), None)
        if excluded is not None and arguments.get(_VGPU) is True:
            yield ProgramFault(
                (*place, "arguments", _VGPU),
                (
                    f"`{_VGPU}` and `{excluded}` cannot be enabled together: Volcano's scheduler "
                    "exits at startup"
                ),
                "keep the plugin whose device plugin runs on the nodes",
            )


class _ParentLimit(msgspec.Struct, frozen=True):
    """The most that a queue's children may have of a resource, and whose field says so."""

    amount: Quantity
    queue: str


def _yunikorn(value: dict[str, Any]) -> Iterator[ProgramFault]:
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


def _queue(
    queue: dict[str, Any], path: Path, most: dict[str, _ParentLimit]
) -> Iterator[ProgramFault]:
    """Yield amounts of a queue and of those below it that are above what bounds them."""
    name = text(queue.get("name"))
    limits = _amounts(queue, "max")
    yield from _order(queue, path)
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
    """Return what a queue's own children are guaranteed of a resource together."""
    amounts = [
        amount
        for child in map(mapping, items(queue.get("queues")))
        if (amount := _amounts(child, "guaranteed").get(resource)) is not None
    ]
    return Quantity(sum(amount.value for amount in amounts)) if amounts else None


def _order(queue: dict[str, Any], path: Path) -> Iterator[ProgramFault]:
    """Yield the limit of a user that stands behind the one of every user."""
    wildcard = False
    for index, limit in enumerate(map(mapping, items(queue.get("limits")))):
        users = items(limit.get("users"))
        if wildcard and users and "*" not in users:
            yield ProgramFault(
                (*path, "limits", index),
                f"a limit of some users stands behind the limit of `*`: {_YUNIKORN}",
                "move the limit of `*` to the end",
            )
        wildcard = wildcard or "*" in users


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
    amounts = {}
    for resource, amount in mapping(mapping(queue.get("resources")).get(field)).items():
        try:
            amounts[resource] = parse_quantity(str(amount))
        except ValueError:
            continue
    return amounts
