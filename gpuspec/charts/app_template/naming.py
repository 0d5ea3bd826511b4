"""Names by which parts of the values refer to each other: controllers, and their containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.app_template.app import enabled
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path


class Dangling(msgspec.Struct, frozen=True):
    """A name that nothing has."""

    path: Path
    name: str
    what: str
    """What would be called so."""
    then: str
    """What comes of it."""
    known: tuple[str, ...]
    key: bool
    """The name is a key."""


def dangling(release: Release) -> Iterator[Dangling]:
    """Names of controllers and containers that the values do not have."""
    controllers = mapping(release.values.get("controllers"))
    for volume, one in enabled(release.values.get("persistence")).items():
        path: Path = ("persistence", volume, "advancedMounts")
        lost = f"`{volume}` is not mounted there"
        for name, mounts in mapping(one.get("advancedMounts")).items():
            if name not in controllers:
                yield _lost((*path, name), name, "controller", lost, controllers)
                continue
            controller = mapping(controllers[name])
            containers = [
                *mapping(controller.get("initContainers")),
                *mapping(controller.get("containers")),
            ]
            for container in mapping(mounts):
                if container not in containers:
                    where = (*path, name, container)
                    yield _lost(where, container, "container", lost, containers)
    for service, one in enabled(release.values.get("service")).items():
        said = one.get("controller")
        if isinstance(said, str) and said not in controllers:
            where = ("service", service, "controller")
            refused = "Helm refuses the release"
            yield Dangling(where, said, "controller", refused, tuple(controllers), key=False)


def _lost(path: Path, name: str, what: str, then: str, known: Iterable[str]) -> Dangling:
    return Dangling(path, name, what, then, tuple(known), key=True)
