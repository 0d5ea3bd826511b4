"""A GPU of the device plugin and one of a claim in one pod."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.claims import requests_of
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU315",
    "plugin-and-claim",
    "warning",
    "A pod requests GPUs both by a device plugin and by a claim",
)

_KINDS = {
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
}
_GPU_CLASSES = {
    "gpu.nvidia.com": "nvidia",
    "mig.nvidia.com": "nvidia",
    "gpu.amd.com": "amd",
    "gpu.intel.com": "intel",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield claims for a GPU, by the templates of the set, in pods with a device of the same
    maker."""
    if not pod.claims:
        return
    vendors = {
        request.what.vendor: request
        for c in pod.gpu_containers
        for request in c.devices
        if request.count != 0
    }
    if not vendors:
        return
    for index, claim in enumerate(pod.claims):
        for field, kind in _KINDS.items():
            obj = context.collection.named(
                "resource.k8s.io", kind, text(claim.get(field)) or "-", pod.object.namespace
            )
            device = None if obj is None else vendors.get(_vendor(obj))
            if obj is None or device is None:
                continue
            yield RawFinding(
                pod.path(pod.claims_at, index, field),
                f"{kind} `{obj.name}` claims a GPU, and `{device.name}: {device.count}` requests "
                "another from the device plugin: the pod holds both, or gets one GPU twice on a "
                "node that advertises its GPUs both ways",
                note="remove the claim or the request in `limits`",
                related=(RelatedPlace(obj.number, obj.path("spec"), "the claim"),),
            )


def _vendor(claim: Object) -> str:
    for _, request in requests_of(claim):
        for device_request in (request, *_inner(request)):
            vendor = _GPU_CLASSES.get(text(device_request.get("deviceClassName")))
            if vendor is not None:
                return vendor
    return ""


def _inner(request: dict[str, Any]) -> list[dict[str, Any]]:
    exactly, first = request.get("exactly"), request.get("firstAvailable")
    inner_requests = [exactly, *(first if isinstance(first, list) else [])]
    return [inner_request for inner_request in inner_requests if isinstance(inner_request, dict)]
