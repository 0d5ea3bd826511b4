"""KServe's model downloader has little memory for the model's size."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec import models
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at
from gpuspec.objects.containers import quantity
from gpuspec.objects.downloading import Downloader, downloader, downloads
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU786",
    "downloader-too-small",
    "info",
    "KServe's storage initializer has little memory for its model",
)
_HUB = "hf"
_TIMES = 10
"""Of the limit: below it downloads of a hub are known to end well."""
_LIMIT: Path = ("resources", "limits", "memory")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield InferenceServices whose model comes from a hub, and the container that downloads it."""
    for path, uri in downloads(pod):
        size = _size(uri, context)
        init_downloader = None if size is None else downloader(uri, context.collection)
        if size is None or init_downloader is None:
            continue
        limit = quantity(at(init_downloader.container, _LIMIT))
        if limit is None or limit.value * _TIMES >= size:
            continue
        yield RawFinding(
            path,
            f"{_who(init_downloader.told)} downloads about {size / 10**9:,.0f} GB with {limit} of "
            "memory: files pass through memory on their way to disk, and the container may be "
            "killed repeatedly with exit code 137",
            note="raise the memory limit: 16Gi has been enough for models of 40 GB",
            confidence="possible",
            related=_related(init_downloader),
        )


def _who(obj: Object | None) -> str:
    if obj is None:
        return "KServe's storage initializer, by default,"
    if obj.kind == "ConfigMap":
        return f"the storage initializer of ConfigMap `{obj.name}`"
    return f"ClusterStorageContainer `{obj.name}`"


def _related(init_downloader: Downloader) -> tuple[RelatedPlace, ...]:
    if init_downloader.told is None:
        return ()
    path = init_downloader.told.path(*init_downloader.at)
    if init_downloader.told.kind != "ConfigMap":
        path = (*path, "limits", "memory")
    return (RelatedPlace(init_downloader.told.number, path, "its memory"),)


def _size(uri: str, context: Context) -> int | None:
    """Return the bytes of a hub's model, known or published; what only a name tells is too
    little."""
    scheme, _, name = uri.partition("://")
    if scheme != _HUB:
        return None
    model = name.partition(":")[0]
    known_size = context.facts.models.get(model)
    if known_size is not None:
        return known_size.int_value
    weights = models.weights_of(model)
    return weights.least if weights is not None and weights.origin == "published" else None
