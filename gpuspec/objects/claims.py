"""Claims of Dynamic Resource Allocation: what they ask for, whatever their version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import at, items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

GROUP = "resource.k8s.io"
FLAT = (
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
)
"""What v1beta1 has in a request itself, and later versions have under `exactly`."""


def requests_of(one: Object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The requests of a ResourceClaim or a template, each with its path from the document's root."""
    inner = ("spec", "spec") if one.kind == "ResourceClaimTemplate" else ("spec",)
    steps = (*inner, "devices", "requests")
    for index, request in enumerate(items(at(one.value, steps))):
        if isinstance(request, dict):
            yield one.path(*steps, index), request
