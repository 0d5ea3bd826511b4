"""Jobs and queues of Volcano that its webhooks refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.queues.trees import VOLCANO, above
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU417",
    "volcano-refused",
    "error",
    "A Volcano job or queue is contradictory, and its webhook rejects it",
    fix="unsafe",
)
_INSIDE = {"Job": ("spec",), "CronJob": ("spec", "jobTemplate", "spec")}
_PLUGINS = ("ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray")
_ACTIONS = (
    *("AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition"),
    *("TerminateJob", "CompleteJob", "ResumeJob"),
)
_REFUSED = "Volcano's webhook rejects the object"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield violations of its webhooks; for a queue, including those against its ancestors in the
    set."""
    if obj.kind == "Queue":
        yield from _amounts(obj)
        yield from _above(obj, context)
        yield from _below(obj, context)
        return
    inside = _INSIDE[obj.kind]
    spec = mapping(at(obj.value, inside))
    base = obj.path(*inside)
    tasks = [mapping(task) for task in items(spec.get("tasks"))]
    yield from _plugins(spec, base, tasks)
    yield from _names(base, tasks)
    yield from _policies(spec.get("policies"), (*base, "policies"))
    for index, task in enumerate(tasks):
        yield from _policies(task.get("policies"), (*base, "tasks", index, "policies"))
    if text(spec.get("queue")) == "root":
        yield RawFinding(
            (*base, "queue"),
            f"`root` is the parent of all queues and accepts no jobs: {_REFUSED}",
            note="name a child queue",
        )


def _plugins(spec: dict[str, Any], base: Path, tasks: list[dict[str, Any]]) -> Iterator[RawFinding]:
    plugins = mapping(spec.get("plugins"))
    for name in plugins:
        if isinstance(name, str) and name not in _PLUGINS:
            close = near(name, _PLUGINS)
            yield RawFinding(
                (*base, "plugins", name),
                f"Volcano has no plugin `{name}`: {_REFUSED}",
                note=f"write `{close}`" if close else f"write {choice_of(_PLUGINS, len(_PLUGINS))}",
                key=True,
                # One's own can be built in.
                confidence="likely",
            )
    yield from _arguments(plugins, base)
    task_names = {text(task.get("name")) for task in tasks}
    for name, then in _MASTERS.items():
        if name not in plugins or "" in task_names:
            continue
        arguments = map(text, items(plugins[name]))
        master_names = [
            argument.partition("=")[2] for argument in arguments if _is_master(argument)
        ]
        master = master_names[-1] if master_names else "master"
        if master and master not in task_names:
            yield RawFinding(
                (*base, "plugins", name),
                f"plugin `{name}` needs a task `{master}`, which does not exist: {then}",
                note=f"set `--master=` to {choice_of(sorted(task_names))}, or add a task `{master}`",
                severity=None if then == _REFUSED else "warning",
            )


# volcano-sh/volcano at ed72c7c81 pkg/controllers/job/plugins, `addFlags` of each plugin.
_FLAGS = {
    "env": (),
    "svc": ("publish-not-ready-addresses", "disable-network-policy", "inject-hosts-env"),
    "ssh": ("ssh-key-file-path", "ssh-private-key", "ssh-public-key", "ssh-port", "no-root"),
    "pytorch": (
        *("master", "worker", "port"),
        *("wait-master-enabled", "wait-master-timeout", "wait-master-image"),
    ),
    "tensorflow": ("ps", "worker", "chief", "evaluator", "port"),
    "mpi": ("master", "worker", "port"),
    "ray": (
        *("head", "headContainer", "worker", "workerContainer"),
        *("port", "dashboardPort", "clientPort"),
    ),
    "hcclrank": ("master", "worker"),
}


def _arguments(plugins: dict[str, Any], base: Path) -> Iterator[RawFinding]:
    """Yield options that resemble one of a plugin's, which stops at the first that it does not
    know."""
    for name, flags in _FLAGS.items():
        for index, argument in enumerate(map(text, items(plugins.get(name)))):
            flag = argument.lstrip("-").partition("=")[0]
            close = near(flag, flags) if argument.startswith("-") and flag not in flags else None
            if close is not None:
                yield RawFinding(
                    (*base, "plugins", name, index),
                    f"plugin `{name}` has no option `--{flag}`: it ignores the option, and all behind it",
                    note=f"write `--{close}`",
                    severity="warning",
                    confidence="likely",
                )


_MASTERS = {"mpi": _REFUSED, "pytorch": "the pods get no `MASTER_ADDR`, and the ranks never meet"}
"""Plugins that need the task with the first rank, and the consequence if it is missing."""


def _is_master(argument: str) -> bool:
    return argument.lstrip("-").startswith("master=")


def _names(base: Path, tasks: list[dict[str, Any]]) -> Iterator[RawFinding]:
    called: list[str] = []
    for index, task in enumerate(tasks):
        name = text(task.get("name"))
        if name and name in called:
            yield RawFinding(
                (*base, "tasks", index, "name"),
                f"two tasks are named `{name}`: {_REFUSED}",
                note="give each task a name of its own",
            )
        called.append(name)
    waits = {
        name: [
            dependency
            for dependency in items(mapping(task.get("dependsOn")).get("name"))
            if text(dependency)
        ]
        for name, task in zip(called, tasks, strict=True)
    }
    for index, (name, task) in enumerate(zip(called, tasks, strict=True)):
        path = (*base, "tasks", index, "dependsOn", "name")
        for place, dependency in enumerate(items(mapping(task.get("dependsOn")).get("name"))):
            if text(dependency) and dependency not in called:
                yield RawFinding(
                    (*path, place),
                    f"`{name}` waits for task `{dependency}`, which does not exist: {_REFUSED}",
                    note="write the name of a task, or remove the dependency",
                )
            elif text(dependency) and _leads(dependency, name, waits):
                yield RawFinding(
                    (*path, place),
                    f"`{name}` waits for `{dependency}`, which waits for `{name}`: {_REFUSED}",
                    note="remove one of the dependencies",
                )


def _leads(start: str, end: str, waits: dict[str, list[str]]) -> bool:
    """Return whether a task waits for another, by others or not."""
    visited: set[str] = set()
    waiting = [start]
    while waiting:
        task_name = waiting.pop()
        if task_name == end:
            return True
        if task_name not in visited:
            visited.add(task_name)
            waiting += waits.get(task_name, ())
    return False


def _policies(policies: object, base: Path) -> Iterator[RawFinding]:
    seen_marks: set[object] = set()
    for index, policy in enumerate(map(mapping, items(policies))):
        path = (*base, index)
        events = [*items(policy.get("events")), policy.get("event")]
        event_names = [event_name for event_name in dict.fromkeys(map(text, events)) if event_name]
        code = policy.get("exitCode")
        if bool(event_names) is (code is not None):
            fault = (
                "has both an event and an `exitCode`"
                if event_names
                else "has no event and no `exitCode`"
            )
            yield RawFinding(
                path,
                f"a policy {fault}: {_REFUSED}",
                note="set either an event or an `exitCode`",
            )
            continue
        if code == 0:
            yield RawFinding(
                (*path, "exitCode"),
                f"`exitCode: 0` is a success: {_REFUSED}",
                note="write the exit code of a failure",
            )
        action = text(policy.get("action"))
        if event_names and action and action not in _ACTIONS:
            close = near(action, _ACTIONS)
            where = (*path, "action")
            yield RawFinding(
                where,
                f"`{action}` is not an action of a policy: {_REFUSED}",
                note=f"write {choice_of(_ACTIONS, len(_ACTIONS))}",
                fix=Fix(f"write `{close}`", (Put(where, close),)) if close else None,
            )
        marks: list[object] = [*event_names] if event_names else [code]
        for mark in marks:
            if mark in seen_marks:
                yield RawFinding(
                    path,
                    f"two policies are for `{mark}`: {_REFUSED}",
                    note="remove one of the two policies",
                )
            seen_marks.add(mark)
    if "*" in seen_marks and len(seen_marks) > 1:
        yield RawFinding(
            base,
            f"a policy for `*` covers all events, and must be the only one: {_REFUSED}",
            note="keep only the policy for `*`, or remove it",
        )


def _amounts(queue: Object) -> Iterator[RawFinding]:
    """Check that a queue's guarantee, deserved amount and capability do not decrease in this order."""
    deserved = mapping(queue.spec.get("deserved"))
    rows = (
        (mapping(mapping(queue.spec.get("guarantee")).get("resource")), "guarantee", deserved),
        (deserved, "deserved", mapping(queue.spec.get("capability"))),
    )
    for lower, name, upper in rows:
        bound_field = "deserved" if name == "guarantee" else "capability"
        for resource, value in lower.items():
            least, most = quantity(value), quantity(upper.get(resource))
            if least is None or (resource in upper and most is None):
                continue
            if most is None and name == "guarantee" and least.value > 0:
                yield RawFinding(
                    queue.path("spec", "deserved"),
                    f"`guarantee` has {shown(resource, least.value)}, but `deserved` has none: "
                    "the webhook of Volcano 1.15 rejects the queue",
                    note=f"set `{resource}` in `deserved`",
                    severity="warning",
                    confidence="likely",
                )
            elif most is not None and least.value > most.value:
                yield RawFinding(
                    queue.path("spec", bound_field, resource),
                    f"`{bound_field}` is {shown(resource, most.value)}, less than `{name}`, which is "
                    f"{shown(resource, least.value)}: {_REFUSED}",
                    note=f"raise `{bound_field}`, or lower `{name}`",
                )


def _above(queue: Object, context: Context) -> Iterator[RawFinding]:
    if text(queue.spec.get("parent")) == queue.name:
        yield RawFinding(
            queue.path("spec", "parent"),
            f"a queue cannot be its own parent: {_REFUSED}",
            note="remove `parent`, or name another queue",
        )
        return
    own_limits = VOLCANO.limits(queue)
    for obj in above(queue, VOLCANO, context.collection)[1:]:
        limits = VOLCANO.limits(obj)
        for name, bound in own_limits.items():
            if name in limits and bound.most > limits[name].most:
                yield RawFinding(
                    bound.path,
                    f"`{queue.name}` may have {shown(name, bound.most)}, but its parent "
                    f"`{obj.name}` only {shown(name, limits[name].most)}: {_REFUSED}",
                    note=f"allow at most {shown(name, limits[name].most)}, or raise the limit of `{obj.name}`",
                )


def _below(queue: Object, context: Context) -> Iterator[RawFinding]:
    """Yield a queue that has less than its children among the files together."""
    children = [
        child
        for child in context.collection.of(VOLCANO.group, "Queue")
        if text(child.spec.get("parent")) == queue.name and child.name != queue.name
    ]
    for name in ("guarantee", "deserved"):
        for resource, value in _resources(queue, name).items():
            most = quantity(value)
            amounts = [quantity(_resources(child, name).get(resource)) for child in children]
            total = sum(amount.value for amount in amounts if amount is not None)
            if most is not None and total > most.value:
                yield RawFinding(
                    queue.path("spec", name),
                    f"`{name}` is {shown(resource, most.value)}, less than the "
                    f"{shown(resource, total)} of its children together: {_REFUSED}",
                    note=f"raise `{name}` of `{queue.name}`, or lower that of its children",
                    severity="warning",
                    confidence="likely",
                )


def _resources(queue: Object, name: str) -> dict[str, Any]:
    amounts = mapping(queue.spec.get(name))
    return mapping(amounts.get("resource")) if name == "guarantee" else amounts
