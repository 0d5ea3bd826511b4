"""The model that a server loads, where it comes from a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import Container
    from gpuspec.runtimes import Runtime

_FLAGS = ("--model", "--model-id", "--model-path", "--model-name-or-path")
_VARIABLES = ("MODEL_ID", "HF_MODEL_ID")
_OFFLINE = ("1", "true", "yes", "on")
_REVISIONS = ("--revision", "--code-revision")


class HubModel(msgspec.Struct, frozen=True):
    """A model by its name in a hub, and where the manifest says it."""

    name: str
    path: Path


def hub_model(container: Container, server: Runtime) -> HubModel | None:
    """What a server downloads; None for a mounted folder, or where nothing tells."""
    if is_offline(container):
        return None
    for path, text in named_models(container, server):
        name = text.removeprefix("hf://").removeprefix("https://huggingface.co/").partition(":")[0]
        if _is_hub_name(name):
            return HubModel(name, path)
    return None


def is_offline(container: Container) -> bool:
    """Whether the hub's libraries are told to download nothing."""
    return (container.env_value("HF_HUB_OFFLINE") or "").strip().lower() in _OFFLINE


def is_pinned(container: Container, server: Runtime) -> bool:
    """Whether a revision is written, or may be in what cannot be seen."""
    if container.words.flag(*_REVISIONS) is not None or "REVISION" in container.env:
        return True
    found = server.settings.revision
    if found is None:
        return False
    for entry in found.environment:
        # hf://org/model:revision
        value = container.env_value(entry.partition("=")[0])
        if value is not None and value.removeprefix("hf://").count(":"):
            return True
    return False


def named_models(container: Container, server: Runtime) -> list[tuple[Path, str]]:
    """What a server is told to load, a name in a hub or a folder, and where; the first counts."""
    found: list[tuple[Path, str]] = []
    flags = server.settings.model.flags if server.settings.model else frozenset()
    flag = container.words.flag(*_FLAGS, *flags)
    if flag is not None and flag.value:
        found.append((flag.path, flag.value))
    words = container.words.all
    for index, word in enumerate(words[:-1]):
        if word.text == "serve" and index and words[index - 1].text.endswith(server.name):
            found.append((words[index + 1].path, words[index + 1].text))
    told = server.settings.model.environment if server.settings.model else ()
    for name in (*_VARIABLES, *(entry.partition("=")[0] for entry in told)):
        value = container.env_value(name)
        if value is not None:
            found.append(((*container.env_path(name), "value"), value))
    return found


def _is_hub_name(name: str) -> bool:
    owner, slash, model = name.partition("/")
    plain = f"{owner}{model}".replace("-", "").replace("_", "").replace(".", "")
    return bool(slash and owner and model and plain.isalnum()) and not owner.startswith(".")
