"""Triton's configuration of a model that does not fit the container that loads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.triton_models import (
    NAME,
    instance_groups,
    is_model,
    model_faults,
    model_name,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU979",
    "triton-model-unfit",
    "warning",
    "Triton's configuration of a model does not fit the container that loads it",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the files that a container of Triton mounts from ConfigMaps of the set."""
    for container in pod.containers:
        server = server_of(container)
        if server is None or server.name != "triton":
            continue
        for at, (index, mount) in container.mounts.items():
            place = container.path("volumeMounts", index)
            for folder, obj, key in _files(pod, at, mount, context):
                config = text(mapping(obj.value.get("data")).get(key))
                if not is_model(NAME, config) or model_faults(config):
                    continue
                related = RelatedPlace(obj.number, obj.path("data", key), "the configuration")
                for message, note in _unfit(config, folder, pod, container):
                    yield RawFinding(
                        place, message, note=note, confidence="likely", related=(related,)
                    )


def _files(
    pod: Pod, at: str, mount: dict[str, object], context: Context
) -> Iterator[tuple[str, Object, str]]:
    """Yield the folder of a model, the ConfigMap with its file, and the key there."""
    volume = pod.volumes.get(text(mount.get("name")))
    source = mapping(volume[1].get("configMap")) if volume is not None else {}
    name = text(source.get("name"))
    obj = context.collection.named("", "ConfigMap", name, pod.object.namespace) if name else None
    if obj is None:
        return
    paths = {
        text(entry.get("path")): text(entry.get("key"))
        for entry in map(mapping, items(source.get("items")))
    }
    paths = paths or {str(key): str(key) for key in mapping(obj.value.get("data"))}
    sub = text(mount.get("subPath"))
    for path, key in paths.items():
        inside = "" if path == sub else path if not sub else None
        if inside is not None:
            *folders, file = f"{at}/{inside}".rstrip("/").split("/")
            if file == NAME and folders:
                yield folders[-1], obj, key


def _unfit(
    config: str, folder: str, pod: Pod, container: PodContainer
) -> Iterator[tuple[str, str]]:
    name, gpus = model_name(config), container.gpus
    if name and name != folder:
        yield (
            f"the configuration names model `{name}`, but lies in folder `{folder}`: Triton does not "
            "load the model",
            f"remove `name`, or mount the file into a folder `{name}`",
        )
    for group in instance_groups(config):
        beyond = [str(number) for number in group.gpus if number >= gpus]
        if group.kind != "KIND_GPU" or _sees_others(container):
            continue
        if not gpus and not pod.spec.get("runtimeClassName"):
            yield (
                "an instance group is of `KIND_GPU`, but the container requests no GPU: Triton does not "
                "load the model",
                "request a GPU, or write `KIND_CPU`",
            )
        elif gpus and beyond:
            yield (
                f"an instance group names GPU {listed(beyond)}, but the container has {gpus}, numbered "
                "from 0: Triton does not load the model",
                "remove `gpus`, so that Triton uses all GPUs of the container",
            )


def _sees_others(container: PodContainer) -> bool:
    """Return whether the container may see GPUs that it does not request by a resource."""
    return (
        bool(items(container.resources.get("claims")))
        or "NVIDIA_VISIBLE_DEVICES" in container.env
        or any(device.count is None for device in container.devices)
    )
