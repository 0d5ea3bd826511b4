"""A pod that may run in any zone, and shares a zonal disk with one that may not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gpuspec.lint.analysis.placement.node_pools import ZONE
from gpuspec.lint.analysis.placement.zonal_disks import is_zonal_claim
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import Collection, same_namespace
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU950",
    "claim-bound-anywhere",
    "warning",
    "A pod without a zone may bind a claim outside the zone of the pods that need it",
)
_ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods without accelerators that may run on any node, by the claims that they mount."""
    collection = context.collection
    if ("", "PersistentVolumeClaim") not in collection.kinds or _is_bound(pod):
        return
    for index, volume in pod.volumes.values():
        name = text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
        claim = (
            collection.named("", "PersistentVolumeClaim", name, pod.object.namespace)
            if name
            else None
        )
        if claim is None or not is_zonal_claim(claim, collection):
            continue
        yield RawFinding(
            pod.path("nodeSelector"),
            f"the pod can bind claim `{name}` in any zone, but another pod with the claim runs in only "
            "one zone: that pod stays Pending if the disk is in another zone",
            note=f"give this pod the same `nodeSelector` for `{ZONE}`",
            confidence="likely",
            related=(
                RelatedPlace(pod.object.number, pod.path("volumes", index), "mounts the claim"),
                RelatedPlace(
                    claim.number, claim.path("metadata", "name"), "is bound by its first pod"
                ),
            ),
            unless=partial(_has_no_zone, claim, pod.object),
        )
        return


def _is_bound(pod: Pod) -> bool:
    """Return whether anything decides on which nodes a pod runs."""
    fields = ("nodeSelector", "affinity", "nodeName", "schedulerName")
    return pod.has_gpu or bool(pod.claims) or any(pod.spec.get(field) for field in fields)


def _has_no_zone(claim: Object, owner: Object, collection: Collection) -> bool:
    """Return whether no other pod of a claim is bound to a zone."""
    return not any(
        claim.name in pod.claims
        and pod.object != owner.number
        and same_namespace(pod.namespace, claim.namespace)
        and any(pod.selector.get(label) for label in _ZONES)
        for pod in collection.pods
    )
