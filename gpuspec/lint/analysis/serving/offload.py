"""Settings that keep a server off the pod's GPUs: its image's build, or an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.servers import server_of

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer


class OnCpu(msgspec.Struct, frozen=True):
    """The fact that a server computes on the CPU."""

    path: Path
    words: str
    """The setting behind it."""


def on_cpu(container: PodContainer) -> OnCpu | None:
    """Return the setting with which a known server computes on the CPU; None if there is none."""
    server = server_of(container)
    if server is None:
        return None
    if runtimes.is_for_cpu(server.name, container.image):
        words = f"`{container.image.partition('@')[0]}` is a CPU-only build"
        return OnCpu(container.path("image"), words)
    for entry in server.parallel.cpu if server.parallel else ():
        name, _, value = entry.partition("=")
        flag = container.words.flag(name) if name.startswith("-") else None
        if flag is not None and flag.value == value:
            return OnCpu(flag.path, f"`{flag.name} {value}` keeps the model on the CPU")
        if not name.startswith("-") and container.env_value(name) == value:
            path = (*container.env_path(name), "value")
            return OnCpu(path, f"`{name}={value}` keeps the model on the CPU")
    return None
