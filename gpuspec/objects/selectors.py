"""Selectors of labels, as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object


def labels_of(selector: object) -> dict[str, str]:
    """Return the labels that a selector asks for; empty where it asks for none, or says it
    otherwise."""
    labels = mapping(selector)
    if "matchLabels" in labels or "matchExpressions" in labels:
        if labels.get("matchExpressions"):
            return {}
        labels = mapping(labels.get("matchLabels"))
    return {str(key): str(value) for key, value in labels.items()}


def own_selector(owner: Object) -> dict[str, str]:
    """Return the labels by which one of Kubernetes' own controllers tells its pods from others;
    empty for any other object."""
    return labels_of(owner.spec.get("selector")) if owner.group == "apps" else {}
