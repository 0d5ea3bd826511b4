"""Names with which parts of the values refer to each other: controllers, containers, services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.app_template.app import enabled
from gpuspec.charts.app_template.lost import Dangling, lacking
from gpuspec.charts.app_template.routing import unreached
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

_MADE = {"configMap": "configMaps", "secret": "secrets"}
"""By the type of a volume: the values whose objects the chart makes for it."""


def dangling(release: Release) -> Iterator[Dangling]:
    """Yield names of controllers, containers and other parts that the values do not define.

    A key that Flux fills in, such as `${APP}`, may become any name.
    """
    for finder in (_mounts, _identifiers, unreached):
        for reference in finder(release):
            if not any("${" in key for key in reference.known):
                yield reference


def _mounts(release: Release) -> Iterator[Dangling]:
    """Yield mounts into containers that do not exist: the chart ignores them silently."""
    controllers = mapping(release.values.get("controllers"))
    for volume, entry in enabled(release.values.get("persistence")).items():
        path: Path = ("persistence", volume, "advancedMounts")
        then = f"`{volume}` is not mounted"
        for name, mounts in mapping(entry.get("advancedMounts")).items():
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
    """Yield parts that templates require, and fail without."""
    values = release.values
    controllers = mapping(values.get("controllers"))
    alone = len(enabled(controllers)) == 1
    for service, entry in enabled(values.get("service")).items():
        controller = entry.get("controller")
        if isinstance(controller, str) and controller and controller not in controllers:
            yield lacking(("service", service, "controller"), controller, "controller", controllers)
        elif not controller and not alone and controllers:
            message = (
                "several controllers exist, and the service names none of them: Helm refuses the "
                "release"
            )
            yield Dangling(("service", service), message, tuple(controllers), key=True)
    for volume, entry in enabled(values.get("persistence")).items():
        kind, identifier = text(entry.get("type")), entry.get("identifier")
        existing = mapping(values.get(_MADE.get(kind, "")))
        if (
            kind in _MADE
            and isinstance(identifier, str)
            and not entry.get("name")
            and identifier not in existing
        ):
            yield lacking(("persistence", volume, "identifier"), identifier, kind, existing)
    yield from _of_containers(release, controllers)


def _of_containers(release: Release, controllers: dict[str, Any]) -> Iterator[Dangling]:
    """Yield ConfigMaps and Secrets of the chart whose variables containers import."""
    for name, controller in enabled(controllers).items():
        for kind in ("initContainers", "containers"):
            for container, container_values in enabled(controller.get(kind)).items():
                for index, source in enumerate(items(container_values.get("envFrom"))):
                    for field, noun in (("configMapRef", "configMap"), ("secretRef", "secret")):
                        identifier = text(mapping(mapping(source).get(field)).get("identifier"))
                        existing = mapping(release.values.get(_MADE[noun]))
                        if identifier and identifier not in existing:
                            at = ("controllers", name, kind, container, "envFrom", index, field)
                            yield lacking((*at, "identifier"), identifier, noun, existing)


def _lost(path: Path, noun: str, existing: Iterable[str], then: str, *, key: bool) -> Dangling:
    return Dangling(path, f"the values have no {noun} `{path[-1]}`: {then}", tuple(existing), key)
