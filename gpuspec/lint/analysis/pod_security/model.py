"""What a level of the Pod Security Standards refuses of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.manifests.values import items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.model import Change
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer

Level = Literal["baseline", "restricted"]
# In the policy's version 1.N.
USER_NAMESPACES = 35


class LevelViolation(msgspec.Struct, frozen=True):
    """One thing that a level refuses."""

    level: Level
    path: Path
    said: str
    """What is wrong, without where: `` `privileged` is true ``."""
    container: str | None = None
    """The container's name; None for what stands at the pod's level."""
    written: bool = True
    """Something is written that is refused; else something that is needed is not there."""
    changes: tuple[Change, ...] | None = None
    """What mends it; None where nobody but its author can say."""
    safe: bool = False
    """The change cannot alter what the pod does, once it runs at all."""


def added(container: PodContainer) -> Iterator[tuple[str, Path]]:
    """Yield the capabilities that a container adds, and where it says so."""
    for index, name in enumerate(items(mapping(container.security.get("capabilities")).get("add"))):
        if isinstance(name, str):
            yield name, container.path("securityContext", "capabilities", "add", index)
