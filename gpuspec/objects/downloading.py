"""The init container with which KServe downloads a model before the server starts.

Source: github.com/kserve/kserve v0.20.0, pkg/webhook/admission/pod/storage_initializer_injector.go,
pkg/utils/storage.go, config/configmap/inferenceservice.yaml (storageInitializer),
python/storage-initializer.Dockerfile. It exists neither for models on claims, which are mounted,
nor for models in images, which run beside the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

GROUP = "serving.kserve.io"
_DOWNLOADED = ("hf", "gs", "s3", "hdfs", "webhdfs", "http", "https")
_CONFIGURATION, _KEY = "inferenceservice-config", "storageInitializer"
_RESOURCES = {
    "requests": {"cpu": "100m", "memory": "100Mi"},
    "limits": {"cpu": "1", "memory": "1Gi"},
}
_CONFIGURED = (
    ("requests", "cpu", "cpuRequest"),
    ("requests", "memory", "memoryRequest"),
    ("limits", "cpu", "cpuLimit"),
    ("limits", "memory", "memoryLimit"),
)
_OWN = {"name": "storage-initializer", "image": "kserve/storage-initializer"}
"""The container as KServe adds it: its image sets user 1000, and it has no security context."""


class Downloader(NamedTuple):
    """The init container that KServe adds, and the object that configures it."""

    container: dict[str, Any]
    told: Object | None
    """The ClusterStorageContainer or the configuration; None if KServe's defaults apply."""
    at: Path = ()
    """The path of its resources in that object."""


def downloads(pod: Pod) -> Iterator[tuple[Path, str]]:
    """Yield the storage URIs that are downloaded into a pod, with their paths."""
    if not pod.object.is_a(GROUP, "InferenceService"):
        return
    uris = [
        (container.path("storageUri"), text(container.value.get("storageUri")))
        for container in pod.containers
    ]
    uris += [
        (pod.path("storageUris", index, "uri"), text(mapping(entry).get("uri")))
        for index, entry in enumerate(items(pod.spec.get("storageUris")))
    ]
    yield from ((path, uri) for path, uri in uris if uri.partition("://")[0] in _DOWNLOADED)


def downloader(uri: str, collection: Collection) -> Downloader | None:
    """Return the container that downloads from a URI; None if several objects configure it, or one
    does so in an unsupported way."""
    objects = [
        obj
        for obj in collection.of(GROUP, "ClusterStorageContainer")
        if obj.value.get("disabled") is not True
    ]
    initializers = [
        obj for obj in objects if any(uri.startswith(prefix) for prefix in _prefixes(obj))
    ]
    if len(initializers) == 1:
        container = mapping(initializers[0].spec.get("container"))
        return Downloader(container, initializers[0], ("spec", "container", "resources"))
    if initializers or any(
        "regex" in uri_format for obj in objects for uri_format in _formats(obj)
    ):
        return None
    return _configured(collection)


def _formats(obj: Object) -> list[dict[str, Any]]:
    return list(map(mapping, items(obj.spec.get("supportedUriFormats"))))


def _prefixes(obj: Object) -> list[str]:
    return [prefix for uri_format in _formats(obj) if (prefix := text(uri_format.get("prefix")))]


def _configured(collection: Collection) -> Downloader | None:
    resources = {field: dict(amounts) for field, amounts in _RESOURCES.items()}
    obj = collection.named("", "ConfigMap", _CONFIGURATION)
    if obj is None:
        return Downloader({**_OWN, "resources": resources}, None)
    try:
        settings = parse_json(text(mapping(obj.value.get("data")).get(_KEY)) or "{}")
    except ValueError:
        return None
    settings = mapping(settings)
    for field, resource, word in _CONFIGURED:
        if amount := text(settings.get(word)):
            resources[field][resource] = amount
    image = text(settings.get("image")) or _OWN["image"]
    return Downloader({**_OWN, "image": image, "resources": resources}, obj, ("data", _KEY))
