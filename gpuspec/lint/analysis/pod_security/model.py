"""The types of violations of the Pod Security Standards."""

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
    """One violation of a level."""

    level: Level
    path: Path
    said: str
    """The fault, without its place: `` `privileged` is true ``."""
    container: str | None = None
    """The container's name; None for a field at the pod's level."""
    written: bool = True
    """Whether a written field is rejected; otherwise a required field is missing."""
    changes: tuple[Change, ...] | None = None
    """The fix; None if only the author can decide."""
    safe: bool = False
    """Whether the change cannot alter the behaviour of a pod that runs."""


def added(container: PodContainer) -> Iterator[tuple[str, Path]]:
    """Yield the capabilities that a container adds, with their paths."""
    for index, name in enumerate(items(mapping(container.security.get("capabilities")).get("add"))):
        if isinstance(name, str):
            yield name, container.path("securityContext", "capabilities", "add", index)
