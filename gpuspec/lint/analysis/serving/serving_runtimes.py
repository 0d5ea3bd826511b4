"""KServe's runtimes: what an object that names one gets from it, where it is in the set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod

_GROUP = "serving.kserve.io"
_MAIN = "kserve-container"
RELEASE = "opendatahub.io/runtime-version"
"""The annotation of a runtime that says which release of its server the image holds, as Open Data Hub
and OpenShift AI write it beside images by digest."""


class ServingRuntimeUse(msgspec.Struct, frozen=True):
    """The runtime that serves a model."""

    object: Object
    container: PodContainer
    """The one that KServe lays the model's fields over."""

    @property
    def release(self) -> str:
        """What its annotation calls the release of its server; empty where there is none."""
        return text(self.object.annotations.get(RELEASE))


def runtime_of(pod: Pod, container: PodContainer, context: Context) -> ServingRuntimeUse | None:
    """Return the runtime that a model of an InferenceService names; None where the set has none, or
    two."""
    if not _is_model(pod, container):
        return None
    name, namespace = text(container.value.get("runtime")), pod.object.namespace
    if not name:
        return None
    objects = [
        *context.collection.all_named(_GROUP, "ServingRuntime", name, namespace),
        *context.collection.all_named(_GROUP, "ClusterServingRuntime", name),
    ]
    if len(objects) != 1:
        return None
    mains = [
        one
        for other in objects[0].pods
        if other.base[-1:] == ("spec",)
        for one in other.containers
        if one.name == _MAIN
    ]
    return ServingRuntimeUse(objects[0], mains[0]) if len(mains) == 1 else None


def format_of(pod: Pod, container: PodContainer) -> str:
    """Return what a model of an InferenceService calls its format, where it leaves image and
    command to a runtime; empty for all else. Runtimes of Open Data Hub call it after the server:
    `vLLM`."""
    if not _is_model(pod, container) or container.image or container.value.get("command"):
        return ""
    return text(mapping(container.value.get("modelFormat")).get("name")).lower()


def _is_model(pod: Pod, container: PodContainer) -> bool:
    is_service = pod.object.is_a(_GROUP, "InferenceService")
    return is_service and container.path()[-1:] == ("model",)
