"""Containers of one pod that use the same GPU by a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.claims import GROUP, alternatives_of, resource_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod


class Use(msgspec.Struct, frozen=True):
    """A container that names a claim."""

    container: PodContainer
    path: Path


class SharedGpu(msgspec.Struct, frozen=True):
    """One GPU that several containers use at the same time."""

    claim: str
    uses: tuple[Use, ...]


def held_together(pod: Pod, collection: Collection) -> Iterator[SharedGpu]:
    """Yield the GPUs of a pod's claims that several of its containers use. Claims outside of the
    set are left out, since their devices are unknown."""
    for claim in pod.claims:
        name, obj = text(claim.get("name")), _object(claim, pod, collection)
        if not name or obj is None:
            continue
        for first, *_ in alternatives_of(obj):
            resource = resource_of(first, collection)
            if first.count != 1 or resource is None or not hardware.is_gpu_resource(resource):
                continue
            uses = tuple(_uses(pod, name, first.request.partition("/")[0]))
            if len(uses) > 1:
                yield SharedGpu(name, uses)


def _object(claim: dict[str, object], pod: Pod, collection: Collection) -> Object | None:
    namespace = pod.object.namespace
    template, claim_name = (
        text(claim.get(field)) for field in ("resourceClaimTemplateName", "resourceClaimName")
    )
    if template:
        return collection.named(GROUP, "ResourceClaimTemplate", template, namespace)
    return collection.named(GROUP, "ResourceClaim", claim_name, namespace) if claim_name else None


def _uses(pod: Pod, claim: str, request: str) -> Iterator[Use]:
    for container in pod.every:
        if container.stage not in ("main", "sidecar"):
            continue
        for index, use in enumerate(map(mapping, items(container.resources.get("claims")))):
            if text(use.get("name")) == claim and text(use.get("request")) in ("", request):
                yield Use(container, container.path(container.resources_at, "claims", index))
                break
