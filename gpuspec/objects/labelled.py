"""The labels and annotations of an object or a pod template."""

from __future__ import annotations

from typing import Any

from gpuspec.manifests.values import mapping
from gpuspec.objects.lazy import lazy


class LabelledObject:
    """An object, or a pod in one."""

    metadata: dict[str, Any]

    @lazy
    def labels(self) -> dict[str, Any]:
        """Its own labels."""
        return mapping(self.metadata.get("labels"))

    @lazy
    def annotations(self) -> dict[str, Any]:
        """Its own annotations."""
        return mapping(self.metadata.get("annotations"))
