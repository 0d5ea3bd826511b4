"""Label selectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object


def labels_of(selector: object) -> dict[str, str]:
    """Return the labels that a selector requires; empty if it requires none, or uses expressions."""
    labels = mapping(selector)
    if "matchLabels" in labels or "matchExpressions" in labels:
        if labels.get("matchExpressions"):
            return {}
        labels = mapping(labels.get("matchLabels"))
    return {str(key): str(value) for key, value in labels.items()}


def own_selector(owner: Object) -> dict[str, str]:
    """Return the labels by which a built-in controller selects its pods; empty for any other
    object."""
    return labels_of(owner.spec.get("selector")) if owner.group == "apps" else {}
