"""A NIMCache that its NIMService cannot use, or that is never filled."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.zonal_disks import makes_disks
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU848",
    "nim-cache-unfit",
    "warning",
    "A NIMCache does not suit its NIMService, or its Job cannot reach the nodes",
)
_NIM = "apps.nvidia.com"
# GPUs of the largest usual node.
_USUAL = 8
_MODEL = ("spec", "source", "ngc", "model")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the services of the NIM operator that name a cache of the set."""
    name = text(at(pod.spec, ("storage", "nimCache", "name")))
    cache = context.collection.named(_NIM, "NIMCache", name, pod.object.namespace) if name else None
    if cache is None:
        return
    yield from _degree(pod, cache)
    yield from _kept_off(pod, cache)
    yield from _on_one_node(pod, cache, context)


def _degree(pod: Pod, cache: Object) -> Iterator[RawFinding]:
    """Yield a cache whose model profile needs more GPUs than the service has."""
    if at(cache.value, (*_MODEL, "profiles")):
        return
    degree = read_whole(text(at(cache.value, (*_MODEL, "tensorParallelism"))))
    if degree is None or not pod.gpus or degree <= pod.gpus or pod.role.gang:
        return
    yield RawFinding(
        cache.path(*_MODEL, "tensorParallelism"),
        f"the cache has only profiles for {degree} GPUs, but NIMService `{pod.object.name}` has "
        f"{pod.gpus}: the service finds no matching profile and exits",
        note=f"request {degree} GPUs, or cache a profile for {pod.gpus}",
        confidence="likely",
        object=cache.number,
        related=_related(pod),
    )


def _kept_off(pod: Pod, cache: Object) -> Iterator[RawFinding]:
    """Yield caches without a selector of their own: the operator binds the cache's Job to
    NVIDIA's nodes."""
    if cache.spec.get("nodeSelector") is not None or items(cache.spec.get("tolerations")):
        return
    taint = next(
        (
            toleration.get("key")
            for toleration in pod.tolerations
            if toleration.get("key")
            and toleration.get("effect") in (None, "", "NoSchedule", "NoExecute")
        ),
        None,
    )
    if taint is None:
        return
    yield RawFinding(
        cache.path("spec"),
        "the operator restricts the Job that fills the cache to NVIDIA nodes, but NIMCache "
        f"`{cache.name}` does not tolerate `{taint}`, as NIMService `{pod.object.name}` does: "
        "the Job stays Pending, and the service waits for it",
        note="give the NIMCache the same `tolerations`, or `nodeSelector: {}` to allow any node",
        confidence="likely",
        object=cache.number,
        related=_related(pod),
    )


def _on_one_node(pod: Pod, cache: Object, context: Context) -> Iterator[RawFinding]:
    """Check that its volume is attached to one node, and the service's pods do not fit there."""
    path = ("spec", "storage", "pvc", "volumeAccessMode")
    mode, number = text(at(cache.value, path)), (pod.role.count or 1) * (pod.role.groups or 1)
    if mode not in ("ReadWriteOnce", "ReadWriteOncePod") or number < 2:
        return
    service = f"the {number} pods of NIMService `{pod.object.name}`"
    if number * pod.gpus > (1 if mode == "ReadWriteOncePod" else _USUAL):
        fault = f"{service} request {number * pod.gpus} GPUs, more than a node has"
    elif not _is_bound(pod) and makes_disks(_class(cache), context.collection):
        fault = f"nothing keeps {service} on one node"
    else:
        return
    yield RawFinding(
        cache.path(*path),
        f"the cache is `{mode}`, but {fault}: the pods on other nodes stay in `ContainerCreating`",
        note="use a class with `ReadWriteMany`",
        confidence="likely",
        object=cache.number,
        related=_related(pod),
    )


def _class(cache: Object) -> object:
    """Return the StorageClass of its claim; a claim that exists already counts as no disk."""
    pvc = mapping(at(cache.value, ("spec", "storage", "pvc")))
    return pvc.get("storageClass") if pvc.get("create") is True else "local"


def _is_bound(pod: Pod) -> bool:
    """Return whether the service states on which nodes its pods run, beyond a device."""
    return bool(pod.spec.get("nodeSelector") or pod.spec.get("affinity"))


def _related(pod: Pod) -> tuple[RelatedPlace, ...]:
    return (
        RelatedPlace(pod.object.number, pod.path("storage", "nimCache", "name"), "uses the cache"),
    )
