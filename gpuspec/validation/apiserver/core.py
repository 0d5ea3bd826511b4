"""The core group: pods and what is in them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import maps
from gpuspec.validation.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation

_LISTS = ("initContainers", "containers", "ephemeralContainers")


def pod(spec: Map, version: str) -> Iterator[Violation]:
    """Mounts name volumes that the pod has."""
    volumes = {one.get("name") for _, one in maps(spec, "volumes")}
    for field in _LISTS:
        for index, one in maps(spec, field):
            for number, mount in maps(one, "volumeMounts"):
                if (name := mount.get("name")) not in volumes:
                    path = (field, index, "volumeMounts", number, "name")
                    yield Violation(path, f"the pod has no volume `{name}`", "refused")


RELATIONS: dict[str, tuple[Relation, ...]] = {"core.v1.PodSpec": (pod,)}
