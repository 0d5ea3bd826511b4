"""Gangs: pods of one object that can only work together, and what schedules them together.

Sources: the operators' own documentation and code: training-operator 1.9 (runPolicy, gang
scheduler), KubeRay 1.7 (batchscheduler), Volcano 1.15 (pkg/controllers/podgroup), KAI Scheduler
(podgrouper), scheduler-plugins (coscheduling), Kueue 0.19, Kthena b510ba3 (podgroupmanager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.kinds.owned import QUEUE
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.launch import expected_nodes, launch_of
from gpuspec.objects.lazy import kept
from gpuspec.objects.references import labels_at
from gpuspec.objects.slices import is_of_several_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.devices import DeviceRequest
    from gpuspec.objects.objects import Object, Pod

DEFAULT = "default-scheduler"
GROUP_ANNOTATIONS = ("scheduling.volcano.sh/group-name", "scheduling.k8s.io/group-name")
"""The annotations with which a pod joins a Volcano PodGroup."""
GROUP_LABELS = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io/name",
    "pod-group.scheduling.sigs.k8s.io",
)
"""The labels with which a pod joins a PodGroup of the coscheduling plugin."""
GROUPS = {"scheduling.volcano.sh": GROUP_ANNOTATIONS, "scheduling.x-k8s.io": GROUP_LABELS}
"""The keys that name a PodGroup, by its API group: annotations for Volcano, labels for the plugin.
"""
MIN_MEMBER = "scheduling.volcano.sh/group-min-member"

_ANNOTATIONS = (
    *GROUP_ANNOTATIONS,
    MIN_MEMBER,
    "scheduling.volcano.sh/queue-name",
    "yunikorn.apache.org/task-groups",
    "gang.scheduling.koordinator.sh/name",
    # Nodes for all of them are asked for at once.
    "autoscaling.x-k8s.io/consume-provisioning-request",
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request",
)
_LABELS = (
    *GROUP_LABELS,
    QUEUE,
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/prebuilt-workload-name",
    "kai.scheduler/queue",
    "runai/queue",
    "yunikorn.apache.org/queue",
    "volcano.sh/queue-name",
    "ray.io/gang-scheduling-enabled",
)


class Gang(msgspec.Struct, frozen=True):
    """The pods with accelerators that must start together."""

    pods: tuple[Pod, ...]
    count: int
    gpus: int
    """The accelerators of all its pods."""


@kept
def gang_of(obj: Object) -> Gang | None:
    """Return the gang of an object with several accelerator pods.

    Pods of a TPU slice are left out, because its node pool is taken whole or not at all.
    """
    pods = [pod for pod in obj.pods if (pod.has_gpu or pod.claims) and _meets(pod)]
    if any(device.what.vendor == "tpu" for pod in pods for device in _devices(pod)):
        return None
    return _gang(pods)


@kept
def slice_gang(obj: Object) -> Gang | None:
    """Return the pods that together fill a multi-host TPU slice."""
    return _gang([pod for pod in obj.pods if is_of_several_hosts(pod)])


def _gang(pods: list[Pod]) -> Gang | None:
    if not pods:
        return None
    counts = [ranks(pod) or pod.role.count for pod in pods]
    positive_counts = [count for count in counts if count is not None and count > 0]
    if len(positive_counts) < len(counts) or sum(positive_counts) < 2:
        return None
    pairs = zip(pods, positive_counts, strict=True)
    return Gang(tuple(pods), sum(positive_counts), sum(pod.gpus * count for pod, count in pairs))


@kept
def ranks(pod: Pod) -> int | None:
    """Count the replicas of a Deployment, StatefulSet or similar object whose launcher or server
    expects several nodes, so that they wait for each other. None if replicas are independent."""
    role = pod.role
    if role.gang or role.count != 1 or (role.groups or 0) < 2 or not pod.has_gpu:
        return None
    if any((expected_nodes(container) or 1) > 1 for container in pod.gpu_containers):
        return role.groups
    return None


def joins(pod: Pod) -> tuple[str, str] | None:
    """Return the API group and the name of the PodGroup that a pod joins."""
    for api, keys in GROUPS.items():
        metadata = pod.annotations if keys is GROUP_ANNOTATIONS else pod.labels
        for key in keys:
            if name := text(metadata.get(key)):
                return api, name
    return None


def gpus_together(pod: Pod) -> int:
    """Return the accelerators of one replica: of the pod, or of the group to which it belongs."""
    gang = gang_of(pod.object)
    return gang.gpus if gang is not None and pod in gang.pods else pod.gpus


def _devices(pod: Pod) -> Iterator[DeviceRequest]:
    for container in pod.gpu_containers:
        yield from container.devices


def _meets(pod: Pod) -> bool:
    if pod.role.gang or ranks(pod) is not None:
        return True
    # Shards are independent; a launcher that expects several nodes is not.
    if (pod.role.count or 0) < 2:
        return False
    launches = (launch_of(container) for container in pod.containers)
    return any(launch is not None and (launch.least_nodes or 1) > 1 for launch in launches)


def scheduler_of(pod: Pod) -> str:
    """Return the scheduler of a pod; empty if not set. Some kinds set it in the object for all
    their pods."""
    scheduler_name = text(pod.spec.get("schedulerName"))
    default = pod.object.traits.scheduler
    if scheduler_name or not default:
        return scheduler_name
    return text(pod.object.spec.get("schedulerName")) or default


def is_held(obj: Object, pods: tuple[Pod, ...]) -> bool:
    """Return whether an object's pods are started together, or wait in a queue until there is room."""
    if "components" in obj.base:
        # In an AppWrapper, which is what waits in a queue.
        return True
    if obj.is_a("batch.volcano.sh", "Job", "CronJob"):
        return True
    if mapping(obj.spec.get("runPolicy")).get("schedulingPolicy"):
        return True
    if mappings_at(obj.value, obj.traits.together):
        return True
    *metadata, _ = labels_at(obj)
    for place in (obj.metadata, mapping(at(obj.value, tuple(metadata)))):
        labels, annotations = mapping(place.get("labels")), mapping(place.get("annotations"))
        if not labels.keys().isdisjoint(_LABELS) or not annotations.keys().isdisjoint(_ANNOTATIONS):
            return True
    return all(_is_pod_held(pod) for pod in pods)


def _is_pod_held(pod: Pod) -> bool:
    if scheduler_of(pod) not in ("", DEFAULT):
        # One of its own, which may do anything.
        return True
    if pod.spec.get("schedulingGroup") or pod.spec.get("workloadRef"):
        return True
    if pod.spec.get("schedulingGates"):
        return True
    return any(key in pod.labels for key in _LABELS) or any(
        key in pod.annotations for key in _ANNOTATIONS
    )
