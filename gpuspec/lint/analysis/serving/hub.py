"""The model that a server loads from a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Runtime

_FLAGS = ("--model", "--model-id", "--model-path", "--model-name-or-path")
_VARIABLES = ("MODEL_ID", "HF_MODEL_ID")
_FOLDER_FLAGS = ("--download-dir", "--huggingface-hub-cache")
_FOLDERS = (
    "HF_HUB_CACHE=",
    "HUGGINGFACE_HUB_CACHE=",
    "HF_HOME=",
    "XDG_CACHE_HOME=/huggingface",
    "HOME=/.cache/huggingface",
)
"""Variables in the hub library's order of precedence, and the suffix that it appends to each."""
_OFFLINE = ("1", "true", "yes", "on")
_REVISIONS = ("--revision", "--code-revision")


class HubModel(msgspec.Struct, frozen=True):
    """A model by its name in a hub, with its path in the manifest."""

    name: str
    path: Path


def hub_model(container: PodContainer, server: Runtime) -> HubModel | None:
    """Return the model that a server downloads; None for a mounted folder, or if unknown."""
    return None if is_offline(container) else named_in_hub(container, server)


def named_in_hub(container: PodContainer, server: Runtime) -> HubModel | None:
    """Return the hub model that a server loads, from the hub or, offline, from an earlier
    download."""
    for path, text in _told(container, server, hub=True):
        name = text.removeprefix("hf://").removeprefix("https://huggingface.co/").partition(":")[0]
        if is_hub_name(name):
            return HubModel(name, path)
    return None


def downloads(container: PodContainer, server: Runtime) -> HubModel | None:
    """Return what a server downloads at its start, in words; None if it is nothing, or unknown."""
    model = hub_model(container, server)
    if model is not None:
        return HubModel(f"`{model.name}`", model.path)
    weights = server.weights
    if weights is None or not weights.of_image or container.value.get("envFrom"):
        return None
    if any(name in container.env for name in weights.others):
        return None
    return HubModel("the model that its image is for", container.path("image"))


def is_offline(container: PodContainer) -> bool:
    """Return whether the hub's libraries are configured to download nothing."""
    return (container.env_value("HF_HUB_OFFLINE") or "").strip().lower() in _OFFLINE


def hub_folder(container: PodContainer, server: Runtime) -> str | None:
    """Return the download folder; None if unknown."""
    flag = container.words.flag(*_FOLDER_FLAGS)
    if flag is not None:
        return flag.value if flag.value and flag.value.startswith("/") else None
    for entry in folders(server):
        name, _, below = entry.partition("=")
        if name in container.env:
            value = container.env_value(name) or ""
            return f"{value.rstrip('/')}{below}" if value.startswith("/") else None
    if container.value.get("envFrom") or server.weights is None:
        return None
    return runtimes.hub(server.name, container.image) or server.weights.folder


def folders(server: Runtime) -> tuple[str, ...]:
    """Return the variables that move a server's downloads, each as `NAME=rest`."""
    server_folders = () if server.weights is None else server.weights.folders
    return server_folders or _FOLDERS


def is_pinned(container: PodContainer, server: Runtime) -> bool:
    """Return whether a revision is set, or may be in a part that is not visible."""
    revision = server.settings.revision
    flags = revision.flags if revision else ()
    if container.words.flag(*_REVISIONS, *flags) is not None or "REVISION" in container.env:
        return True
    for entry in revision.environment if revision else ():
        # hf://org/model:revision
        value = container.env_value(entry.partition("=")[0])
        if value is not None and value.removeprefix("hf://").count(":"):
            return True
    return False


def named_models(container: PodContainer, server: Runtime) -> list[tuple[Path, str]]:
    """Return the configured models of a server, hub names or folders, with their paths; the first
    counts."""
    return _told(container, server, hub=False)


def _told(container: PodContainer, server: Runtime, *, hub: bool) -> list[tuple[Path, str]]:
    """Return the configured models; with `hub` without those that can only be files or folders."""
    model_names: list[tuple[Path, str]] = []
    model, path = server.settings.model, server.settings.path
    flags = {*_FLAGS, *(model.flags if model else ()), *(path.flags if path else ())}
    if hub and path is not None:
        flags -= path.flags - (model.flags if model else frozenset())
    flag = container.words.flag(*sorted(flags))
    if flag is not None and flag.value:
        model_names.append((flag.path, flag.value))
    first = _positional(container, server)
    if first is not None:
        model_names.append((first.path, first.text))
    for name in dict.fromkeys((*_VARIABLES, *(model.names if model else ()))):
        value = container.env_value(name)
        if value is not None:
            model_names.append(((*container.env_path(name), "value"), value))
    return model_names


def _positional(container: PodContainer, server: Runtime) -> ArgumentWord | None:
    """Return the first word of a server with a positional model: `vllm serve org/model`.

    It follows the command, or begins the `args` of an image whose entrypoint is the server.
    """
    model, words = server.settings.model, container.words.all
    if model is None or model.arguments[:1] != ("{model}",):
        return None
    at = runtimes.after_start([word.text for word in words], server.name)
    if at is None and runtimes.entrypoint(server.name, container.image) == "server":
        # With a command that starts none it would be taken for no server.
        at = 0
    if at is None or at >= len(words) or words[at].text.startswith("-"):
        return None
    return words[at]


def is_hub_name(name: str) -> bool:
    """Return whether a word can be the name of a model in a hub: `owner/model`."""
    owner, slash, model = name.partition("/")
    plain = f"{owner}{model}".replace("-", "").replace("_", "").replace(".", "")
    return bool(slash and owner and model and plain.isalnum()) and not owner.startswith(".")
