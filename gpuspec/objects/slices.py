"""The TPU chips that a pod requests, and the slice to which it is bound, read from any manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import at, items, mapping, whole
from gpuspec.objects.lazy import kept
from gpuspec.objects.scheduling import scheduling

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod

TPU = "google.com/tpu"
ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
_NODE_POOL = "cloud.google.com/gke-nodepool"
_OF_JOBS = "alpha.jobset.sigs.k8s.io/exclusive-topology"
_OF_GROUPS = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_OF_SUBGROUPS = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


class RequiredLabel(msgspec.Struct, frozen=True):
    """A node label that a pod requires, with its only allowed value; `path` starts at the pod's
    spec."""

    value: str
    path: Path


class Chips(msgspec.Struct, frozen=True):
    """The chips of one pod, and the slice to which it is bound."""

    count: int
    """The chips that the pod requests; 0 if unknown."""
    topology: RequiredLabel | None
    accelerator: RequiredLabel | None

    @property
    def of_slice(self) -> int | None:
        """The number of chips in the slice; None if unknown."""
        return None if self.topology is None else hardware.chips_of(self.topology.value)

    @property
    def table(self) -> hardware.SliceTable | None:
        """The available slices of such chips; None if their model is unknown."""
        models = (
            hardware.from_label(ACCELERATOR, self.accelerator.value) if self.accelerator else ()
        )
        return hardware.slices_of(models[0]) if models else None

    @property
    def machines(self) -> tuple[hardware.TpuSlice, ...]:
        """The machines of which such a slice can consist; empty if unknown."""
        if self.table is None or self.topology is None:
            return ()
        return self.table.on(self.topology.value)

    @property
    def hosts(self) -> int | None:
        """The number of hosts in the slice if each runs one such pod; None if unknown, or if such
        pods do not fill it."""
        whole = self.of_slice
        return whole // self.count if whole and self.count and whole % self.count == 0 else None


@kept
def chips_of(pod: Pod) -> Chips | None:
    """Return the TPU chips of a pod; None if it requests none."""
    counts = [
        device.count
        for gpu_container in pod.gpu_containers
        if gpu_container.stage != "init"
        for device in gpu_container.devices
        if device.name == TPU
    ]
    if not counts:
        return None
    known_counts = [count for count in counts if count is not None]
    total = sum(known_counts) if len(known_counts) == len(counts) else 0
    return Chips(total, bound(pod, TOPOLOGY), bound(pod, ACCELERATOR))


def bound(pod: Pod, key: str) -> RequiredLabel | None:
    """Return the only value of a node label that a pod allows; None if it allows several."""
    constraints = scheduling(pod)
    value = mapping(constraints.get("nodeSelector")).get(key)
    if isinstance(value, str):
        return RequiredLabel(value, ("nodeSelector", key))
    step_value: object = constraints
    for step in _REQUIRED:
        step_value = mapping(step_value).get(step)
    terms = items(mapping(step_value).get("nodeSelectorTerms"))
    if len(terms) != 1:
        return None
    for index, match_expression in enumerate(items(mapping(terms[0]).get("matchExpressions"))):
        values = items(mapping(match_expression).get("values"))
        condition = (
            mapping(match_expression).get("key"),
            mapping(match_expression).get("operator"),
        )
        if condition == (key, "In") and len(values) == 1 and isinstance(values[0], str):
            where = ("nodeSelectorTerms", 0, "matchExpressions", index, "values", 0)
            return RequiredLabel(values[0], (*_REQUIRED, *where))
    return None


def pods_on_one_slice(pod: Pod, alike: list[Pod]) -> int | None:
    """Return how many pods are placed on one slice together; `alike` are the object's pods with the
    same topology. None if nothing places them together, or the number is unknown.

    An annotation of JobSet gives each Job a node pool of its own, and one of LeaderWorkerSet does
    so for each group; a node pool is a slice. Each replica of a Ray worker group is one slice with
    `numOfHosts` pods: GKE's webhook for Ray refuses others (ai-on-gke
    ray-on-gke/tpu/kuberay-tpu-webhook, `checkWorkersMatchTopology`).
    """
    owner, inside = pod.object, pod.base[len(pod.object.base) :]
    if owner.is_a("jobset.x-k8s.io", "JobSet") and "replicatedJobs" in inside:
        job = mapping(at(owner.value, inside[: inside.index("replicatedJobs") + 2]))
        template = mapping(job.get("template"))
        annotations = mapping(mapping(template.get("metadata")).get("annotations"))
        if _NODE_POOL not in (annotations.get(_OF_JOBS), owner.annotations.get(_OF_JOBS)):
            return None
        # Completions that wait for others are on the slice in turn.
        spec = mapping(template.get("spec"))
        parallelism = whole(spec.get("parallelism"), 1)
        completions = whole(spec.get("completions"), parallelism or 1)
        counted = parallelism is not None and completions is not None
        return min(parallelism or 0, completions or 0) if counted else None
    if owner.is_a("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        if owner.annotations.get(_OF_GROUPS) != _NODE_POOL or _OF_SUBGROUPS in owner.annotations:
            return None
        counts = [member.role.count for member in alike]
        return None if None in counts else sum(count or 0 for count in counts)
    if owner.group == "ray.io" and "workerGroupSpecs" in inside:
        group = mapping(at(owner.value, inside[: inside.index("workerGroupSpecs") + 2]))
        return whole(group.get("numOfHosts"), 1)
    return None


def is_of_several_hosts(pod: Pod) -> bool:
    """Return whether the pod runs on a multi-host slice, which its group takes whole or not at all."""
    chips = chips_of(pod)
    return chips is not None and (chips.hosts or 1) > 1
