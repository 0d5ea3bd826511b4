"""Names by which parts of the values refer to each other: controllers, containers, services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.app_template.app import App, enabled
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

_REFUSED = "Helm refuses the release"
_MADE = {"configMap": "configMaps", "secret": "secrets"}
"""By the type of a volume: where the objects are that the chart makes for it."""
_BY_KEY = ("2.", "3.")
"""Releases that take the `name` in a route for an identifier too."""


class Dangling(msgspec.Struct, frozen=True):
    """A name that nothing has."""

    path: Path
    message: str
    known: tuple[str, ...]
    """What would be right there."""
    key: bool = False
    """The name is a key."""


def dangling(release: Release) -> Iterator[Dangling]:
    """Names of controllers, containers and other parts that the values do not have."""
    yield from _mounts(release)
    yield from _identifiers(release)
    yield from _routes(release)


def _mounts(release: Release) -> Iterator[Dangling]:
    """Volumes that are mounted into what is not there: nothing mounts them, and nothing says so."""
    controllers = mapping(release.values.get("controllers"))
    for volume, one in enabled(release.values.get("persistence")).items():
        path: Path = ("persistence", volume, "advancedMounts")
        then = f"`{volume}` is not mounted there"
        for name, mounts in mapping(one.get("advancedMounts")).items():
            if name not in controllers:
                yield _lost((*path, name), "controller", controllers, then, key=True)
                continue
            controller = mapping(controllers[name])
            containers = [
                *mapping(controller.get("initContainers")),
                *mapping(controller.get("containers")),
            ]
            for container in mapping(mounts):
                if container not in containers:
                    yield _lost((*path, name, container), "container", containers, then, key=True)


def _identifiers(release: Release) -> Iterator[Dangling]:
    """Parts that templates ask for, and fail without."""
    values = release.values
    controllers = mapping(values.get("controllers"))
    for service, one in enabled(values.get("service")).items():
        said = one.get("controller")
        if isinstance(said, str) and said not in controllers:
            yield _named(("service", service, "controller"), said, "controller", controllers)
    for volume, one in enabled(values.get("persistence")).items():
        kind, said = text(one.get("type")), one.get("identifier")
        there = mapping(values.get(_MADE.get(kind, "")))
        if kind in _MADE and isinstance(said, str) and not one.get("name") and said not in there:
            yield _named(("persistence", volume, "identifier"), said, kind, there)


def _routes(release: Release) -> Iterator[Dangling]:
    """Services that routes send to."""
    app = App(release)
    names = {app.called(key, one, len(app.services)) for key, one in app.services.items()}
    by_key = not release.version or release.version.startswith(_BY_KEY)
    for route, one in enabled(release.values.get("route")).items():
        for at, rule in enumerate(items(one.get("rules"))):
            for index, backend in enumerate(items(mapping(rule).get("backendRefs"))):
                path: Path = ("route", route, "rules", at, "backendRefs", index)
                told = mapping(backend)
                name, identifier = text(told.get("name")), text(told.get("identifier"))
                if identifier and not name and identifier not in app.services:
                    yield _named((*path, "identifier"), identifier, "service", app.services)
                elif name in app.services and name not in names and not by_key:
                    yield Dangling(
                        (*path, "name"),
                        f"no Service is called `{name}`, which is an identifier of these values: "
                        "the route leads nowhere",
                        (f"identifier: {name}",),
                    )


def _named(path: Path, name: str, what: str, known: Iterable[str]) -> Dangling:
    return Dangling(path, f"the values have no {what} `{name}`: {_REFUSED}", tuple(known))


def _lost(path: Path, what: str, known: Iterable[str], then: str, *, key: bool) -> Dangling:
    return Dangling(path, f"the values have no {what} `{path[-1]}`: {then}", tuple(known), key)
