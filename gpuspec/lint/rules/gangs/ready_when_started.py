"""Pods that others wait for until they are ready, which they are as soon as they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import msgspec

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU784",
    "ready-when-started",
    "warning",
    "Pods wait for others that report ready as soon as they start",
)


class Waits(msgspec.Struct, frozen=True):
    """Some pods that are made when others are ready."""

    path: Path
    """The path of the call."""
    who: str
    on: str
    """The role of those others."""
    tries: bool = False
    """Whether the caller is configured to retry."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield kinds that make their pods in an order, some of them with GPUs, and roles without a
    probe."""
    order = _ORDERS.get((obj.group, obj.kind))
    if order is None or not any(pod.has_gpu or pod.claims for pod in obj.pods):
        return
    roles = {pod.role.name: pod for pod in obj.pods}
    for waits in order(obj):
        pod = roles.get(waits.on)
        if pod is None or not pod.containers or _proves_something(pod):
            continue
        yield RawFinding(
            waits.path,
            f"{waits.who} created when `{waits.on}` is ready, but `{waits.on}` has no readiness "
            f"or startup probe: {waits.who.rpartition(' ')[0]} can start before the containers of `{waits.on}` answer",
            note=f"add a `readinessProbe` to the container of `{waits.on}` to which other pods connect",
            severity="info" if waits.tries else None,
            confidence="likely",
            related=(
                RelatedPlace(obj.number, pod.path("containers"), "ready as soon as they run"),
            ),
        )


def _proves_something(pod: Pod) -> bool:
    return any(
        container.probe(kind) for container in pod.every for kind in ("readiness", "startup")
    )


def _of_jobset(obj: Object) -> Iterator[Waits]:
    """Yield JobSets: `dependsOn` with `Ready`, and each job on the one before in a startup
    order."""
    jobs = [mapping(replicated_job) for replicated_job in items(obj.spec.get("replicatedJobs"))]
    names = [text(job.get("name")) for job in jobs]
    for index, job in enumerate(jobs):
        for place, dependency in enumerate(map(mapping, items(job.get("dependsOn")))):
            if dependency.get("status") == "Ready":
                path = obj.path("spec", "replicatedJobs", index, "dependsOn", place, "status")
                yield Waits(path, f"the pods of `{names[index]}` are", text(dependency.get("name")))
    if mapping(obj.spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder":
        path = obj.path("spec", "startupPolicy", "startupPolicyOrder")
        for before, name in pairwise(names):
            yield Waits(path, f"the pods of `{name}` are", before)


def _of_leaderworkerset(obj: Object) -> Iterator[Waits]:
    if obj.spec.get("startupPolicy") == "LeaderReady":
        yield Waits(obj.path("spec", "startupPolicy"), "workers are", "leader")


def _of_mpijob(obj: Object) -> Iterator[Waits]:
    """Check that the operator has the SSH client of the launcher try ten times, for some ten
    seconds."""
    if obj.spec.get("launcherCreationPolicy") == "WaitForWorkersReady":
        yield Waits(
            obj.path("spec", "launcherCreationPolicy"), "the launcher is", "worker", tries=True
        )


def _of_volcano(obj: Object) -> Iterator[Waits]:
    for index, task in enumerate(map(mapping, items(obj.spec.get("tasks")))):
        for place, dependency in enumerate(items(mapping(task.get("dependsOn")).get("name"))):
            path = obj.path("spec", "tasks", index, "dependsOn", "name", place)
            yield Waits(path, f"the pods of `{text(task.get('name'))}` are", text(dependency))


_ORDERS: dict[tuple[str, str], Callable[[Object], Iterator[Waits]]] = {
    ("batch.volcano.sh", "Job"): _of_volcano,
    ("jobset.x-k8s.io", "JobSet"): _of_jobset,
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): _of_leaderworkerset,
    ("kubeflow.org", "MPIJob"): _of_mpijob,
}
