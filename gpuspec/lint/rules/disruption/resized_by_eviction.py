"""A VerticalPodAutoscaler that evicts pods with GPUs, or is told to size their devices."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text, whole
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod, meet
from gpuspec.objects.scale import scale_of

RULE = Rule(
    "GPU920",
    "resized-by-eviction",
    "warning",
    "A VerticalPodAutoscaler evicts GPU pods to resize them",
)

_EVICTING = ("Recreate", "Auto")
_LEAST_ALIVE = 2
"""The number of live pods required before one is evicted: the updater's `--min-replicas` when
unset."""
_SIZED = ("cpu", "memory")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods whose owner a VerticalPodAutoscaler moves."""
    if not is_first(pod):
        return
    for scaler in _moving(pod.object, context.collection):
        yield from _evicts(scaler, pod, context)
        yield from _sizes_others(scaler)


def _moving(owner: Object, collection: Collection) -> Iterator[Object]:
    for obj in collection.of("autoscaling.k8s.io", "VerticalPodAutoscaler"):
        target = mapping(obj.spec.get("targetRef"))
        is_target = (target.get("kind"), target.get("name")) == (owner.kind, owner.name)
        if is_target and meet(obj, owner):
            yield obj


def _evicts(scaler: Object, pod: Pod, context: Context) -> Iterator[RawFinding]:
    policy = mapping(scaler.spec.get("updatePolicy"))
    mode = text(policy.get("updateMode")) or "Recreate"
    if mode not in _EVICTING or not _sizes(scaler, pod):
        return
    scale = scale_of(pod, context.collection)
    alive = whole(policy.get("minReplicas"), _LEAST_ALIVE) or 0
    if not isinstance(scale, str) and scale.most is not None and scale.most < alive:
        return
    lost = "loses its work" if pod.life == "finite" else "has to load its model again"
    owner = pod.object
    yield RawFinding(
        scaler.path("spec", "updatePolicy", "updateMode"),
        f"the VerticalPodAutoscaler evicts a GPU pod of {owner.kind} `{owner.name}` at each new "
        f"recommendation, and the pod {lost}",
        note=(
            "set `updateMode: InPlaceOrRecreate`, which resizes a running pod if its node has the "
            "capacity, or `Initial`, which applies only at the next start"
        ),
        object=scaler.number,
        related=(
            RelatedPlace(owner.number, owner.path("metadata", "name"), "whose pods it evicts"),
        ),
    )


def _sizes(scaler: Object, pod: Pod) -> bool:
    """Return whether it sizes any container of the pod: a container's own policy goes before that
    of all."""
    modes = {
        text(container_policy.get("containerName")): text(container_policy.get("mode"))
        for container_policy in map(mapping, items(_policies(scaler)))
    }
    return any(
        modes.get(container.name, modes.get("*", "")) != "Off" for container in pod.containers
    )


def _sizes_others(scaler: Object) -> Iterator[RawFinding]:
    for index, policy in enumerate(map(mapping, items(_policies(scaler)))):
        for field in ("controlledResources", "minAllowed", "maxAllowed"):
            field_value = policy.get(field)
            names = (
                items(field_value) if field == "controlledResources" else list(mapping(field_value))
            )
            for number, name in enumerate(names):
                if name in _SIZED:
                    continue
                step = number if field == "controlledResources" else name
                yield RawFinding(
                    scaler.path("spec", "resourcePolicy", "containerPolicies", index, field, step),
                    (
                        f"a VerticalPodAutoscaler does not size `{name}`: it recommends only CPU and "
                        "memory"
                    ),
                    note=f"remove `{name}`",
                    key=field != "controlledResources",
                    object=scaler.number,
                )


def _policies(scaler: Object) -> object:
    return mapping(scaler.spec.get("resourcePolicy")).get("containerPolicies")
