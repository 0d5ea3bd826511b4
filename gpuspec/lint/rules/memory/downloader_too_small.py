"""What downloads a model for KServe has little memory beside the model's size."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec import models
from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.manifests import Path, Quantity
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import Container, quantity
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU786",
    "downloader-too-small",
    "info",
    "KServe's storage initializer has little memory for the model that it downloads",
)
_HUB = "hf"
_TIMES = 10
"""Of the limit: below it downloads of a hub are known to end well."""
_LIMIT: Path = ("spec", "container", "resources", "limits", "memory")


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """InferenceServices whose model comes from a hub, and the container that the cluster has for it."""
    for one in pod.containers:
        uri = text(one.value.get("storageUri"))
        size = _size(uri, context)
        downloader = None if size is None else _downloader(uri, context)
        if size is None or downloader is None:
            continue
        limit = quantity(at(downloader.value, _LIMIT))
        if limit is None or limit.value * _TIMES >= size:
            continue
        yield Found(
            _at(one),
            f"ClusterStorageContainer `{downloader.name}` downloads about {Quantity.of_bytes(size)} with "
            f"{limit} of memory: files are held there on their way to the disk, and it may be ended with "
            "exit code 137, again and again",
            note="a limit of 16Gi has been enough for models of 40 GB",
            confidence="possible",
            related=(Related(downloader.number, downloader.path(*_LIMIT), "its memory"),),
        )


def _size(uri: str, context: Context) -> int | None:
    """The bytes of a hub's model, known or published; what only a name tells is too little."""
    scheme, _, name = uri.partition("://")
    if scheme != _HUB:
        return None
    model = name.partition(":")[0]
    known = context.facts.models.get(model)
    if known is not None:
        return known.int_value
    found = models.weights_of(model)
    return found.least if found is not None and found.origin == "published" else None


def _downloader(uri: str, context: Context) -> Object | None:
    """The ClusterStorageContainer that takes such an address; None where several do."""
    found = [
        one
        for one in context.collection.of("serving.kserve.io", "ClusterStorageContainer")
        if one.value.get("disabled") is not True and _takes(one, uri)
    ]
    return found[0] if len(found) == 1 else None


def _takes(one: Object, uri: str) -> bool:
    formats = map(mapping, items(one.spec.get("supportedUriFormats")))
    return any((prefix := text(each.get("prefix"))) and uri.startswith(prefix) for each in formats)


def _at(one: Container) -> Path:
    return one.path("storageUri")
