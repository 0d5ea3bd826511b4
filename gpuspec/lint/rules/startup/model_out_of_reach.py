"""A model of the hub that a server is not allowed to download, or does not try to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec import models, runtimes
from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import hub_folder, is_offline, named_in_hub
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.downloading import downloader
from gpuspec.objects.downloading import downloads as downloaded
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.lint.analysis.serving.hub import HubModel
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU882",
    "model-out-of-reach",
    "warning",
    "A server cannot download its model: a token is missing, or downloads are off",
)
_TOKENS = (
    *("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN", "HUGGINGFACEHUB_API_TOKEN"),
    *("HF_API_TOKEN", "HF_HUB_TOKEN", "HF_TOKEN_PATH"),
)
_TOKEN_NAMES = frozenset(_TOKENS)
_SECRET = "serving.kserve.io/storageSecretName"
_OPTIONS = ("--hf-token", "--hf-api-token", "-hft", "--token", "--api-token")
_ELSEWHERE = (
    "HF_ENDPOINT",
    "VLLM_USE_MODELSCOPE",
    "SGLANG_USE_MODELSCOPE",
    "LMDEPLOY_USE_MODELSCOPE",
)
"""Variables that have another hub asked."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check servers with a model of the hub whose files no volume can contain already."""
    yield from _by_operator(pod, context.collection)
    if pod.object.traits.starts_server:
        return
    for container in pod.containers:
        server = server_of(container)
        model = None if server is None else named_in_hub(container, server)
        if server is None or model is None or not _is_empty(pod, container, server):
            continue
        if any(name in container.env for name in _ELSEWHERE) or "envFrom" in container.value:
            continue
        if is_offline(container):
            yield _offline(container, server, model)
        elif models.is_gated(model.name) and not _has_token(container):
            yield _gated(server, model)


def _by_operator(pod: Pod, collection: Collection) -> Iterator[RawFinding]:
    """Yield a token that the server has, while another container of KServe's downloads the model."""
    if text(pod.spec.get("serviceAccountName")) or _SECRET in pod.object.annotations:
        # Its secrets may have a token, as may the storage that an annotation names.
        return
    for path, uri in downloaded(pod):
        model = uri.removeprefix("hf://").partition(":")[0]
        container = downloader(uri, collection) if model != uri and models.is_gated(model) else None
        holder = next(
            (server for server in pod.containers if not _TOKEN_NAMES.isdisjoint(server.env)), None
        )
        if container is None or holder is None or _has_variables(container.container):
            continue
        name = next(name for name in holder.env if name in _TOKEN_NAMES)
        source = container.told if container.told is not None and container.told.spec else None
        whose = (
            f"ClusterStorageContainer `{source.name}`"
            if source
            else "the default ClusterStorageContainer"
        )
        yield RawFinding(
            path,
            f"the storage initializer has no `{name}` for the gated `{model}`, because {whose} "
            "sets none: the hub refuses the download, although the server has a token",
            note=f"set `{name}` in `env` of the ClusterStorageContainer for `hf://`, or in a Secret "
            "of the pod's ServiceAccount",
            severity=None if source else "info",
            confidence="likely" if source else "possible",
            related=(RelatedPlace(source.number, source.path("spec", "container"), "downloads it"),)
            if source
            else (),
        )


def _has_variables(container: dict[str, Any]) -> bool:
    names = {text(mapping(entry).get("name")) for entry in items(container.get("env"))}
    return bool(container.get("envFrom")) or not _TOKEN_NAMES.isdisjoint(names)


def _is_empty(pod: Pod, container: PodContainer, server: Runtime) -> bool:
    """Return whether nothing can have filled the folder of downloads before the server starts."""
    folder = hub_folder(container, server)
    if folder is None or not runtimes.is_image_of(server.name, container.image):
        return False
    mount = mount_of(container, folder)
    if any(mount_below.startswith(folder.rstrip("/") + "/") for mount_below in container.mounts):
        return False
    if mount is None:
        return True
    volume = mounted(pod, container, mount)
    return volume is not None and "emptyDir" in volume and len(pod.every) == 1


def _has_token(container: PodContainer) -> bool:
    return any(name in container.env for name in _TOKENS) or (
        container.words.flag(*_OPTIONS) is not None
    )


def _gated(server: Runtime, model: HubModel) -> RawFinding:
    return RawFinding(
        model.path,
        f"`{model.name}` is gated, but no `HF_TOKEN` is set: the hub refuses the download, and "
        f"{server.title} exits",
        note="accept the model's licence on its page, and set `HF_TOKEN` from a Secret",
        confidence="likely",
    )


def _offline(container: PodContainer, server: Runtime, model: HubModel) -> RawFinding:
    return RawFinding(
        (*container.env_path("HF_HUB_OFFLINE"), "value"),
        f"`HF_HUB_OFFLINE` turns downloads off, but no volume contains `{model.name}`: "
        f"{server.title} exits",
        note=(
            f"mount the cache of the hub at `{hub_folder(container, server)}`, or remove "
            "`HF_HUB_OFFLINE`"
        ),
        confidence="likely",
    )
