"""A release of the chart: its controllers and services, and their names."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path


class App:
    """The values of one release, as the chart reads them."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.values = release.values

    @cached_property
    def name(self) -> str:
        """The chart's name of the application: the release's name, unless the values override it."""
        return text(at(self.values, ("global", "nameOverride"))) or self.release.name

    @cached_property
    def fullname(self) -> str:
        """The prefix of its objects' names."""
        for path in (("global", "fullnameOverride"), ("fullnameOverride",)):
            if override := text(at(self.values, path)):
                return override
        name = self.release.name
        return name if self.name in name else f"{name}-{self.name}"

    @cached_property
    def controllers(self) -> dict[str, dict[str, Any]]:
        """The enabled controllers."""
        return enabled(self.values.get("controllers"))

    @cached_property
    def services(self) -> dict[str, dict[str, Any]]:
        """The enabled services."""
        return enabled(self.values.get("service"))

    @cached_property
    def volumes(self) -> dict[str, dict[str, Any]]:
        """The persistence entries, by identifier."""
        return enabled(self.values.get("persistence"))

    @cached_property
    def claims(self) -> int:
        """How many claims the chart makes."""
        kinds = [
            volume.get("type")
            for volume in self.volumes.values()
            if not volume.get("existingClaim")
        ]
        return sum(kind in (None, "", "persistentVolumeClaim") for kind in kinds)

    def called(self, identifier: str, entry: dict[str, Any], among: int) -> str:
        """Return the name of an object, which depends on how many there are."""
        if forced := text(entry.get("forceRename")):
            return forced.lower()
        name = self.fullname
        if prefix := text(entry.get("prefix")):
            name = name if name == prefix else f"{prefix}-{name}"
        suffix = text(entry.get("nameOverride")) or text(entry.get("suffix"))
        if not suffix and among > 1 and identifier != name:
            suffix = identifier
        if suffix and not name.endswith(f"-{suffix}"):
            name = f"{name}-{suffix}"
        # With `_` it is no name, but can be a word to replace, which its letters tell.
        return name if "_" in name else name.lower()

    def controller_of(self, service: dict[str, Any]) -> str:
        """Return the controller behind a service; it needs no name if there is only one."""
        controller = text(service.get("controller"))
        return controller or (next(iter(self.controllers)) if len(self.controllers) == 1 else "")

    def labels(self, controller: str) -> dict[str, str]:
        """Return the labels by which a controller's pods are selected."""
        return {
            "app.kubernetes.io/controller": controller,
            "app.kubernetes.io/name": self.name,
            "app.kubernetes.io/instance": self.release.name,
        }

    def filled(self, value: object) -> object:
        """Return a text with the release's names filled in; the chart renders texts as templates."""
        if not isinstance(value, str) or "{{" not in value:
            return value
        for word, replacement in ((".Release.Name", self.release.name), (".Release.Namespace", "")):
            if replacement:
                value = value.replace(f"{{{{ {word} }}}}", replacement)
        return value

    def primary_port(self, controller: str) -> tuple[Path, object] | None:
        """Return the port that is probed by default, and where its number is written."""
        behind = {
            key: service
            for key, service in self.services.items()
            if self.controller_of(service) == controller
        }
        chosen = _primary(behind)
        if chosen is None:
            return None
        ports = enabled(behind[chosen].get("ports"))
        name = _primary(ports)
        if name is None:
            return None
        field = "targetPort" if ports[name].get("targetPort") else "port"
        return ("service", chosen, "ports", name, field), ports[name].get(field)


def enabled(entries: object) -> dict[str, dict[str, Any]]:
    """Return the enabled entries, in the chart's order."""
    return {
        key: entry
        for key, entry in sorted(mapping(entries).items())
        if isinstance(entry, dict) and entry.get("enabled", True) is not False
    }


def _primary(some: dict[str, dict[str, Any]]) -> str | None:
    return next(
        (key for key, entry in some.items() if entry.get("primary")), next(iter(some), None)
    )
