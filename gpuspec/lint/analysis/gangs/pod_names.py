"""DNS names of the pods of a run, by the controller that creates them.

Sources: JobSet 0.12, api/jobset/v1alpha2 (network); LeaderWorkerSet 0.10, pkg/utils/pod; Volcano
1.15, pkg/controllers/job/helpers and plugins/svc; training-operator 1.9, pkg/controller.v1 (a
Service for each replica); mpi-operator 0.8, pkg/controller.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds.kubeflow import REPLICAS
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object

_SERVES = ("svc", "pytorch", "tensorflow", "mpi", "ray", "hcclrank")
"""Plugins of a Volcano Job that give its pods names: `svc`, or others that enable it."""


class PodNames(msgspec.Struct, frozen=True):
    """The names of an object's pods."""

    pattern: str
    """A pattern for the name of a pod."""
    first: str
    """The full name of the first pod; empty if no pod has one."""
    zone: str = ""
    """The required suffix of the name; empty if there is none."""
    why: str = ""
    """Why no name of a pod is known."""

    def has(self, name: str) -> bool:
        """Return whether a pod has this name."""
        return re.fullmatch(self.pattern, name) is not None


def names_of(obj: Object) -> PodNames | None:
    """Return the names of an object's pods; None if they are unknown, or checked by another
    rule."""
    name = re.escape(obj.name)
    if obj.is_a("jobset.x-k8s.io", "JobSet"):
        return _of_jobset(obj, name)
    if obj.is_a("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        policy = mapping(obj.spec.get("networkConfig")).get("subdomainPolicy", "Shared")
        zone = obj.name if policy == "Shared" else ""
        return PodNames(rf"{name}-[0-9]+(?:-[0-9]+)?", f"{obj.name}-0.{obj.name}", zone)
    if obj.is_a("batch.volcano.sh", "Job"):
        return _of_volcano(obj, name)
    if obj.group == "kubeflow.org" and obj.kind in REPLICAS:
        return _of_kubeflow(obj, name)
    if obj.is_a("apps", "Deployment", "ReplicaSet"):
        return PodNames("", "", why=f"a {obj.kind}'s pods have changing names that are not in DNS")
    return None


def _of_jobset(obj: Object, name: str) -> PodNames:
    network = mapping(obj.spec.get("network"))
    zone = text(network.get("subdomain")) or obj.name
    jobs = [
        text(mapping(replicated_job).get("name"))
        for replicated_job in items(obj.spec.get("replicatedJobs"))
    ]
    if network.get("enableDNSHostnames") is False:
        return PodNames("", "", why="`network.enableDNSHostnames` is `false`")
    either = "|".join(re.escape(job) for job in jobs if job)
    first = f"{obj.name}-{jobs[0] if jobs else 'JOB'}-0-0.{zone}"
    return PodNames(rf"{name}-(?:{either})-[0-9]+-[0-9]+", first, zone)


def _of_volcano(obj: Object, name: str) -> PodNames:
    tasks = [text(mapping(task).get("name")) for task in items(obj.spec.get("tasks"))]
    if mapping(obj.spec.get("plugins")).keys().isdisjoint(_SERVES):
        return PodNames("", "", why="no `svc` plugin gives its pods DNS names")
    either = "|".join(re.escape(task or f"default{at}") for at, task in enumerate(tasks))
    first = f"{obj.name}-{(tasks and tasks[0]) or 'default0'}-0.{obj.name}"
    return PodNames(rf"{name}-(?:{either})-[0-9]+", first, obj.name)


def _of_kubeflow(obj: Object, name: str) -> PodNames:
    roles = [role.lower() for role in mapping(obj.spec.get(REPLICAS[obj.kind][0]))]
    either = "|".join(map(re.escape, roles))
    leader = next((role for role in ("master", "chief", "launcher") if role in roles), "worker")
    # The launcher of MPI is a Job's pod, and has no number.
    first = f"{obj.name}-{'worker' if leader == 'launcher' else leader}-0"
    return PodNames(rf"{name}-(?:{either})-[0-9]+", first)
