"""Ranks that start one after the other, although the first becomes ready only with all of them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import first_rank
from gpuspec.lint.analysis.gangs.parallel import degree_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.gangs import ranks
from gpuspec.objects.launch import expected_nodes
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU745",
    "ranks-in-turn",
    "error",
    "Each rank starts only after the previous one is ready, which needs all ranks",
    fix="unsafe",
)
_NEVER = "the other pods are never created"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that others are made after, and that wait for these."""
    owner = pod.object
    if owner.is_a("apps", "StatefulSet"):
        yield from _in_order(pod)
    elif owner.is_a("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        yield from _leader_first(pod)
    elif owner.is_a("jobset.x-k8s.io", "JobSet"):
        yield from _jobs_in_order(pod)


def _in_order(pod: Pod) -> Iterator[RawFinding]:
    """Yield StatefulSets, which make the next pod when the last one is ready, unless told
    `Parallel`."""
    owner, rank = pod.object, first_rank(pod)
    replicas = owner.spec.get("replicas", 1)
    if owner.spec.get("podManagementPolicy") == "Parallel":
        return
    if not isinstance(replicas, int) or replicas < 2:
        return
    container = rank.container if rank is not None else _waiting(pod, 1)
    probe = None if container is None else _probe(container)
    if probe is None or (rank is None and not ranks(pod)):
        return
    at = owner.path("spec", "podManagementPolicy")
    yield RawFinding(
        at,
        f"`{owner.name}-1` is created only when `{owner.name}-0` is ready, but the "
        f"`{probe}Probe` waits for all {replicas} ranks: {_NEVER}",
        note=(
            "set `podManagementPolicy: Parallel`, and delete and recreate the StatefulSet: the "
            "field is immutable"
        ),
        fix=set_field(at, "Parallel"),
    )


def _leader_first(pod: Pod) -> Iterator[RawFinding]:
    """Yield LeaderWorkerSets that make the workers when the leader is ready."""
    owner = pod.object
    inside = pod.base[len(owner.base) :]
    if owner.spec.get("startupPolicy") != "LeaderReady" or "leaderTemplate" not in inside:
        return
    container = _waiting(pod, 1)
    probe = None if container is None else _probe(container)
    if probe is None:
        return
    at = owner.path("spec", "startupPolicy")
    yield RawFinding(
        at,
        f"workers are created only when the leader is ready, but the leader's `{probe}Probe` "
        f"waits for the workers: {_NEVER}",
        fix=set_field(at, "LeaderCreated"),
    )


def _jobs_in_order(pod: Pod) -> Iterator[RawFinding]:
    """Yield JobSets of which a job waits for another one that waits for it."""
    owner = pod.object
    inside = pod.base[len(owner.base) :]
    jobs = [mapping(replicated_job) for replicated_job in items(owner.spec.get("replicatedJobs"))]
    index = inside[2] if len(inside) > 2 else None
    container = _waiting(pod, pod.role.count or 0) if pod.role.count else None
    if container is None or not isinstance(index, int) or index >= len(jobs):
        return
    probe, name = _probe(container), text(jobs[index].get("name"))
    ordered = mapping(owner.spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
    if ordered and probe is not None and index + 1 < len(jobs):
        at = owner.path("spec", "startupPolicy", "startupPolicyOrder")
        after = text(jobs[index + 1].get("name"))
        yield RawFinding(
            at,
            f"`{after}` is created only when `{name}` is ready, but the `{probe}Probe` of "
            f"`{name}` waits for more pods than `{name}` has: {_NEVER}",
            fix=set_field(at, "AnyOrder"),
        )
    for path, after, status in _dependents(owner, jobs, name):
        if status == "Complete" or (status == "Ready" and probe is not None):
            state = "complete" if status == "Complete" else "ready"
            yield RawFinding(
                path,
                f"`{after}` is created only when `{name}` is {state}, but `{name}` waits for more "
                f"pods than it has: {_NEVER}",
                fix=Fix("remove the entry of `dependsOn`", (Drop(path[:-2], emptied=True),)),
            )


def _dependents(
    owner: Object, jobs: list[dict[str, object]], name: str
) -> Iterator[tuple[Path, str, str]]:
    """Yield Jobs that wait for another one: path, name, and the awaited state."""
    for index, job in enumerate(jobs):
        for place, dependency in enumerate(map(mapping, items(job.get("dependsOn")))):
            if dependency.get("name") == name:
                path = owner.path("spec", "replicatedJobs", index, "dependsOn", place, "status")
                yield path, text(job.get("name")), text(dependency.get("status"))


def _waiting(pod: Pod, own_pods: int) -> PodContainer | None:
    """Return the container that waits for more pods than there are of its own."""
    for container in pod.gpu_containers:
        degree = degree_of(container)
        spread = degree is not None and degree.nodes == 1 and degree.local is None
        if (expected_nodes(container) or 1) > own_pods:
            return container
        if own_pods == 1 and spread and degree is not None and degree.total > container.gpus > 0:
            return container
    return None


def _probe(container: PodContainer) -> str | None:
    """Return the probe that a pod is not ready without."""
    return next((kind for kind in ("readiness", "startup") if container.probe(kind)), None)
