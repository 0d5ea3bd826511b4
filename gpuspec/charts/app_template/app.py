"""A release of the chart: which controllers and services it has, and what they are called."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path


class App:
    """The values of one release, as the chart looks at them."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.values = release.values

    @cached_property
    def name(self) -> str:
        """What the chart calls the application: the release's name, unless it is told another."""
        return text(at(self.values, ("global", "nameOverride"))) or self.release.name

    @cached_property
    def fullname(self) -> str:
        """What the names of its objects begin with."""
        for path in (("global", "fullnameOverride"), ("fullnameOverride",)):
            if told := text(at(self.values, path)):
                return told
        name = self.release.name
        return name if self.name in name else f"{name}-{self.name}"

    @cached_property
    def controllers(self) -> dict[str, dict[str, Any]]:
        """The controllers that are not switched off."""
        return enabled(self.values.get("controllers"))

    @cached_property
    def services(self) -> dict[str, dict[str, Any]]:
        """The services that are not switched off."""
        return enabled(self.values.get("service"))

    @cached_property
    def volumes(self) -> dict[str, dict[str, Any]]:
        """What is kept, by identifier."""
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

    def called(self, identifier: str, one: dict[str, Any], among: int) -> str:
        """Return the name of an object of which there are so many."""
        if forced := text(one.get("forceRename")):
            return forced.lower()
        name = self.fullname
        if prefix := text(one.get("prefix")):
            name = name if name == prefix else f"{prefix}-{name}"
        suffix = text(one.get("nameOverride")) or text(one.get("suffix"))
        if not suffix and among > 1 and identifier != name:
            suffix = identifier
        return (name if not suffix or name.endswith(f"-{suffix}") else f"{name}-{suffix}").lower()

    def controller_of(self, service: dict[str, Any]) -> str:
        """Return the controller behind a service; the only one needs no naming."""
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
        """Return a text with the release's own names filled in; the chart takes texts for
        templates."""
        if not isinstance(value, str) or "{{" not in value:
            return value
        for word, said in ((".Release.Name", self.release.name), (".Release.Namespace", "")):
            if said:
                value = value.replace(f"{{{{ {word} }}}}", said)
        return value

    def primary_port(self, controller: str) -> tuple[Path, object] | None:
        """Return the port that is probed where nothing else is said, and where its number is
        written."""
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


def enabled(written: object) -> dict[str, dict[str, Any]]:
    """Return the entries that are not switched off, in the chart's order."""
    return {
        key: one
        for key, one in sorted(mapping(written).items())
        if isinstance(one, dict) and one.get("enabled", True) is not False
    }


def _primary(some: dict[str, dict[str, Any]]) -> str | None:
    return next((key for key, one in some.items() if one.get("primary")), next(iter(some), None))
