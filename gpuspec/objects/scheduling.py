"""What a pod says of the nodes that it may run on, and whether it says all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import items, mapping
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

FIELDS = ("nodeSelector", "affinity", "tolerations")


@kept
def scheduling(pod: Pod) -> dict[str, Any]:
    """Return its `nodeSelector`, `affinity` and `tolerations`; in Argo the workflow's where it has
    none."""
    fields = {field: pod.spec[field] for field in FIELDS if pod.spec.get(field)}
    owner = pod.object
    if owner.group == "argoproj.io" and owner.kind != "Rollout":
        inner = mapping(owner.spec.get("workflowSpec")) or owner.spec
        fields = {field: inner[field] for field in FIELDS if inner.get(field)} | fields
    return fields


@kept
def tolerations(pod: Pod) -> list[dict[str, Any]]:
    """Return the tolerations that count for it."""
    return [
        toleration
        for toleration in items(scheduling(pod).get("tolerations"))
        if isinstance(toleration, dict)
    ]


def admitted(pod: Pod, provider: str | None) -> list[dict[str, Any]]:
    """Return the tolerations that count for it once a provider's admission has seen it."""
    from gpuspec import hardware
    from gpuspec.objects.amounts import resources

    return [*tolerations(pod), *hardware.injected(provider or "none", resources(pod))]


def is_whole(pod: Pod) -> bool:
    """Return whether its object is all that decides where the pod goes and what it asks for.

    What is missing in others may come from elsewhere, so that nobody can say that it is missing.
    """
    traits = pod.object.traits
    return not traits.completed or (traits.complete_with_containers and _has_containers(pod))


def asks_alone(pod: Pod) -> bool:
    """Return whether it is whole, or gets from elsewhere what neither places it nor asks a node for
    anything."""
    traits = pod.object.traits
    plainly = traits.plainly
    stated = _has_containers(pod) or traits.beside is not None or traits.elsewhere is not None
    return is_whole(pod) or (plainly is not None and plainly(pod.object.value) and stated)


def _has_containers(pod: Pod) -> bool:
    """Return whether its containers are written where those of any pod are."""
    return all(container.path()[-2:-1] == ("containers",) for container in pod.containers)


def has_all_tolerations(pod: Pod) -> bool:
    """Return whether the tolerations that are written for it are all that it gets from objects."""
    return asks_alone(pod) or (pod.object.traits.tolerations_replace and bool(tolerations(pod)))
