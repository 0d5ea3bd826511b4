"""GPU memory of llama.cpp and Ollama: the weights, and contexts of the configured size."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.serving.hub import named_models
from gpuspec.manifests.values import at, items
from gpuspec.models import StoredModel, cache_type_bits, in_library, stored
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import GpuMemoryUse, Runtime

# All layers of any model: people write 99 or 999 for it.
_ALL = 99
_PULLS = re.compile(r"\bollama\s+(?:pull|run)\s+([A-Za-z0-9][\w.:/-]*)")


class LocalMemoryNeed(msgspec.Struct, frozen=True):
    """The least GPU memory of a model and its contexts."""

    name: str
    weights: int
    cache: int
    tokens: int
    """Tokens of one context."""
    times: int
    path: Path
    """The path of the context's length; else that of the model."""
    spills: bool
    """Whether the server moves what does not fit to the CPU; otherwise it exits."""

    @property
    def total(self) -> int:
        """The sum in bytes."""
        return self.weights + self.cache


def needs_of(pod: Pod, container: PodContainer, server: Runtime) -> Iterator[LocalMemoryNeed]:
    """Yield each configured model of a server, if all decisive settings are known."""
    room = server.room
    if room is None or container.value.get("envFrom") or _is_elsewhere(container, server):
        return
    times = _number(container, room.times) if room.times else 1
    length = _length(container, server)
    bits = _bits(container, room)
    if bits is None or times == 0 or length == (0, None):
        return
    for name, path, stored_model in _models(pod, container, server):
        if room.layers and not _holds_all(container, room, stored_model):
            continue
        length_value, where = length or (room.least, None)
        tokens = min(length_value, stored_model.model.context) if room.times else length_value
        if not tokens or not stored_model.model.values:
            continue
        cache = math.floor(stored_model.model.values * tokens * (times or 1) * bits / 8)
        yield LocalMemoryNeed(
            name=name,
            weights=stored_model.least,
            cache=cache,
            tokens=tokens,
            times=times or 1,
            path=where or path,
            spills=not room.layers,
        )


def _models(
    pod: Pod, container: PodContainer, server: Runtime
) -> Iterator[tuple[str, Path, StoredModel]]:
    if server.weights is not None and server.weights.on_request:
        for name, path in _pulled(pod):
            library_model = in_library(name)
            if library_model is not None:
                yield name, path, library_model
        return
    file = server.settings.path
    file_argument = _said(container, file.names) if file else None
    models = [
        *named_models(container, server),
        *([(file_argument[1], file_argument[0])] if file_argument else []),
    ]
    for where, name in models[:1]:
        stored_model = stored(name)
        if stored_model is not None:
            yield name, where, stored_model


def _pulled(pod: Pod) -> Iterator[tuple[str, Path]]:
    """Yield models that a container of the pod downloads through Ollama."""
    names: set[str] = set()
    hook = ("lifecycle", "postStart", "exec", "command")
    for container in pod.every:
        for steps in (("command",), ("args",), hook):
            words = [word for word in items(at(container.value, steps)) if isinstance(word, str)]
            for name in _PULLS.findall(" ".join(words)):
                if name not in names:
                    names.add(name)
                    yield name, container.path(*steps)


def _is_elsewhere(container: PodContainer, server: Runtime) -> bool:
    """Return whether an unknown part is on the host."""
    smaller = server.weights.smaller if server.weights is not None else ()
    return _said(container, smaller) is not None


def _length(container: PodContainer, server: Runtime) -> tuple[int, Path | None] | None:
    """Return tokens of a context and their path; None if not set, 0 for an invalid number."""
    setting = server.settings.max_length
    value_and_path = None if setting is None else _said(container, (*setting.flags, *setting.names))
    if value_and_path is None:
        return None
    tokens = read_whole(value_and_path[0].strip())
    return (tokens, value_and_path[1]) if tokens else (0, None)


def _bits(container: PodContainer, room: GpuMemoryUse) -> Fraction | None:
    """Return bits of a cached number, averaged over keys and values."""
    cache_types = [_said(container, names) for names in (room.keys, room.values or room.keys)]
    keys, values = (
        cache_type_bits(None if cache_type is None else cache_type[0]) for cache_type in cache_types
    )
    return None if keys is None or values is None else (keys + values) / 2


def _number(container: PodContainer, names: tuple[str, ...]) -> int:
    """Return the number in one of these settings; 1 if none is set, 0 for an invalid number."""
    value_and_path = _said(container, names)
    return 1 if value_and_path is None else read_whole(value_and_path[0].strip()) or 0


def _holds_all(container: PodContainer, room: GpuMemoryUse, stored_model: StoredModel) -> bool:
    """Return whether a setting puts all layers on the GPUs."""
    value_and_path = _said(container, room.layers)
    if value_and_path is None:
        return False
    number = read_whole(value_and_path[0].strip())
    return value_and_path[0] == "all" or (number or 0) >= max(_ALL, stored_model.model.cache[0] + 1)


def _said(container: PodContainer, names: tuple[str, ...]) -> tuple[str, Path] | None:
    """Return the value of an option or a variable, with its path; the option takes precedence."""
    flag = container.words.flag(*(name for name in names if name.startswith("-")))
    if flag is not None:
        return flag.value or "", flag.path
    for name in names:
        if name in container.env:
            return container.env_value(name) or "", (*container.env_path(name), "value")
    return None
