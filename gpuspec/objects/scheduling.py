"""A pod's scheduling constraints, and whether its object contains all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import items, mapping
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

FIELDS = ("nodeSelector", "affinity", "tolerations")


@kept
def scheduling(pod: Pod) -> dict[str, Any]:
    """Return its `nodeSelector`, `affinity` and `tolerations`; in Argo, the workflow's if the
    template has none."""
    fields = {field: pod.spec[field] for field in FIELDS if pod.spec.get(field)}
    owner = pod.object
    if owner.group == "argoproj.io" and owner.kind != "Rollout":
        inner = mapping(owner.spec.get("workflowSpec")) or owner.spec
        fields = {field: inner[field] for field in FIELDS if inner.get(field)} | fields
    return fields


@kept
def tolerations(pod: Pod) -> list[dict[str, Any]]:
    """Return the effective tolerations of a pod."""
    return [
        toleration
        for toleration in items(scheduling(pod).get("tolerations"))
        if isinstance(toleration, dict)
    ]


def admitted(pod: Pod, provider: str | None) -> list[dict[str, Any]]:
    """Return the effective tolerations of a pod, including those that a provider's admission adds."""
    from gpuspec import hardware
    from gpuspec.objects.amounts import resources

    return [*tolerations(pod), *hardware.injected(provider or "none", resources(pod))]


def is_whole(pod: Pod) -> bool:
    """Return whether the object alone decides the pod's placement and requests.

    In other pods, a missing field may be set elsewhere.
    """
    traits = pod.object.traits
    return not traits.completed or (traits.complete_with_containers and _has_containers(pod))


def asks_alone(pod: Pod) -> bool:
    """Return whether a pod is whole, or other objects only add fields that change neither its
    placement nor its requests."""
    traits = pod.object.traits
    plainly = traits.plainly
    stated = _has_containers(pod) or traits.beside is not None or traits.elsewhere is not None
    return is_whole(pod) or (plainly is not None and plainly(pod.object.value) and stated)


def _has_containers(pod: Pod) -> bool:
    """Return whether a pod has its containers in `containers`."""
    return all(container.path()[-2:-1] == ("containers",) for container in pod.containers)


def has_all_tolerations(pod: Pod) -> bool:
    """Return whether no other object can add tolerations to a pod."""
    return asks_alone(pod) or (pod.object.traits.tolerations_replace and bool(tolerations(pod)))
