"""A model of the hub that a server is not given, or does not ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import models, runtimes
from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import hub_folder, is_offline, named_in_hub
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
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
_OPTIONS = ("--hf-token", "--hf-api-token", "-hft", "--token", "--api-token")
_ELSEWHERE = (
    "HF_ENDPOINT",
    "VLLM_USE_MODELSCOPE",
    "SGLANG_USE_MODELSCOPE",
    "LMDEPLOY_USE_MODELSCOPE",
)
"""Variables that have another hub asked."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that are told a model of the hub, whose files no volume can hold already."""
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
