"""KServe's runtimes in the set: their fields for an object that names one."""

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
"""The annotation of a runtime with the release of its server, which Open Data Hub and OpenShift AI
set next to images by digest."""


class ServingRuntimeUse(msgspec.Struct, frozen=True):
    """The runtime of a model."""

    object: Object
    container: PodContainer
    """The container into which KServe merges the model's fields."""

    @property
    def release(self) -> str:
        """The server's release in its annotation; empty if there is none."""
        return text(self.object.annotations.get(RELEASE))


def runtime_of(pod: Pod, container: PodContainer, context: Context) -> ServingRuntimeUse | None:
    """Return the runtime of an InferenceService's model; None if the set has none, or two."""
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
        runtime_container
        for runtime_pod in objects[0].pods
        if runtime_pod.base[-1:] == ("spec",)
        for runtime_container in runtime_pod.containers
        if runtime_container.name == _MAIN
    ]
    return ServingRuntimeUse(objects[0], mains[0]) if len(mains) == 1 else None


def format_of(pod: Pod, container: PodContainer) -> str:
    """Return the model format of an InferenceService, if a runtime has image and command; otherwise
    empty. Runtimes of Open Data Hub name it after the server: `vLLM`."""
    if not _is_model(pod, container) or container.image or container.value.get("command"):
        return ""
    return text(mapping(container.value.get("modelFormat")).get("name")).lower()


def _is_model(pod: Pod, container: PodContainer) -> bool:
    is_service = pod.object.is_a(_GROUP, "InferenceService")
    return is_service and container.path()[-1:] == ("model",)
