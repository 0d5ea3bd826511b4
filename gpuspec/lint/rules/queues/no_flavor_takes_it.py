"""A queued pod that every flavor of its queue keeps out, by labels or by taints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.placement.placing import names, requirement_path, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.queues import KUEUE, cluster_queue, groups, queue_of
from gpuspec.objects.scheduling import admitted, tolerations

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement

RULE = Rule(
    "GPU416",
    "no-flavor-takes-it",
    "error",
    "No flavor of the queue matches a pod's node selector or tolerations",
)

_PODS_QUEUED = ("", "apps")
"""Groups of the kinds whose pods Kueue queues one by one."""


class FlavorRejection(msgspec.Struct, frozen=True):
    """Why a flavor does not take a pod: a condition that its labels fail, else a taint."""

    flavor: str
    condition: Requirement | None
    taint: str = ""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Compare pods with accelerators with the flavors that have them, if all of these are in the
    set."""
    label = queue_of(obj)
    queue = None if label is None else cluster_queue(context.collection, label.queue, obj)
    if queue is None:
        return
    for pod in obj.pods:
        device_names = {
            device.name for gpu_container in pod.gpu_containers for device in gpu_container.devices
        }
        flavors = _flavors(queue, device_names, context.collection)
        pod_tolerations = _given(pod, context)
        flavor_rejections = [_kept(pod, flavor, pod_tolerations) for flavor in flavors]
        rejections = [
            flavor_rejection
            for flavor_rejection in flavor_rejections
            if flavor_rejection is not None
        ]
        if rejections and len(rejections) == len(flavor_rejections):
            yield _found(pod, queue, rejections)


def _flavors(queue: Object, device_names: set[str], collection: Collection) -> list[Object]:
    """Return the flavors with any of these resources; none if one is not in the set."""
    called = [
        text(flavor.get("name"))
        for _, covered, flavors in groups(queue)
        if not device_names.isdisjoint(covered)
        for _, flavor in flavors
    ]
    objects = [collection.named(KUEUE, "ResourceFlavor", name) for name in called]
    existing_flavors = [flavor for flavor in objects if flavor is not None]
    return existing_flavors if len(existing_flavors) == len(called) else []


def _given(pod: Pod, context: Context) -> list[dict[str, Any]]:
    """Return a pod's tolerations as Kueue sees them.

    Plain pods in a queue have passed admission by then, and without a profile a provider may have
    added tolerations; the template of a Job has not.
    """
    from gpuspec import hardware

    if pod.object.group not in _PODS_QUEUED:
        return tolerations(pod)
    adds = next(
        provider.name
        for provider in hardware.providers().values()
        if provider.tolerations is not None
    )
    return admitted(pod, context.provider or adds)


def _kept(
    pod: Pod, flavor: Object, pod_tolerations: list[dict[str, Any]]
) -> FlavorRejection | None:
    labels = {str(key): str(value) for key, value in mapping(flavor.spec.get("nodeLabels")).items()}
    failed = [_failed(way, labels) for way in requirements(pod)]
    if failed and all(failed):
        return FlavorRejection(flavor.name, failed[0])
    taint = _untolerated(pod_tolerations, flavor)
    return FlavorRejection(flavor.name, None, taint) if taint else None


def _failed(way: tuple[Requirement, ...], labels: dict[str, str]) -> Requirement | None:
    """Return the first condition that a flavor's labels do not meet; keys that it does not set are
    ignored."""
    from gpuspec.fleet.labels import node_labels

    possible_labels = node_labels(labels)
    return next(
        (
            requirement
            for requirement in way
            if requirement.key in labels and not requirement.allows(possible_labels)
        ),
        None,
    )


def _untolerated(pod_tolerations: list[dict[str, Any]], flavor: Object) -> str:
    """Return the key of a taint that neither the pod nor the flavor tolerates."""
    from gpuspec.fleet.scheduler.tolerations import tolerations_of

    rows = [*pod_tolerations, *(t for t in items(flavor.spec.get("tolerations")) if mapping(t))]
    answers = tolerations_of({"tolerations": rows})
    for taint in map(mapping, items(flavor.spec.get("nodeTaints"))):
        key, value, effect = (text(taint.get(field)) for field in ("key", "value", "effect"))
        if effect not in ("NoSchedule", "NoExecute"):
            continue
        if not any(answer.answers(key, value, effect) for answer in answers):
            return key
    return ""


def _found(pod: Pod, queue: Object, flavor_rejections: list[FlavorRejection]) -> RawFinding:
    related = (RelatedPlace(queue.number, queue.path("spec", "resourceGroups"), "its flavors"),)
    flavors = names([flavor_rejection.flavor for flavor_rejection in flavor_rejections])
    first = next(
        (
            flavor_rejection.condition
            for flavor_rejection in flavor_rejections
            if flavor_rejection.condition is not None
        ),
        None,
    )
    if first is not None:
        return RawFinding(
            requirement_path(pod, first),
            f"Kueue never admits the workload: it selects nodes by `{first.key}`, but no flavor "
            f"of ClusterQueue `{queue.name}` has nodes with that value",
            note=(
                "remove the selector: Kueue adds the node labels of the flavor that it chooses "
                f"({flavors})"
            ),
            related=related,
        )
    return RawFinding(
        pod.path("tolerations"),
        f"the pod does not tolerate `{flavor_rejections[0].taint}`, a node taint of flavor "
        f"{flavors}: no other flavor of ClusterQueue `{queue.name}` fits, and Kueue never admits the "
        "workload",
        note="add the toleration to the pod, or to the flavor's `spec.tolerations`: Kueue adds these "
        "to every pod that it admits",
        related=related,
    )
