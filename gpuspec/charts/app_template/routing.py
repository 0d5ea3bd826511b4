"""Services that routes, ingresses and monitors of the values refer to, and their ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.app_template.app import App, enabled
from gpuspec.charts.app_template.lost import Dangling, lacking
from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import is_digits, read_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

_NAMES_ARE_KEYS = {"route": ("2.", "3."), "ingress": ("0.", "1.", "2.")}
"""Releases that also accept the `name` of a service as an identifier."""
_THEN = {"route": "the route leads nowhere", "ingress": "the ingress leads nowhere"}
_NUMBERS_ONLY = (4, 1, 1)
"""The last release that was read, which does not look up a route's port by its name."""


def unreached(release: Release) -> Iterator[Dangling]:
    """Yield Services that the values do not have, and ports that the Services do not have."""
    app = App(release)
    for route, one in enabled(release.values.get("route")).items():
        for at, rule in enumerate(items(one.get("rules"))):
            for index, backend in enumerate(items(mapping(rule).get("backendRefs"))):
                path: Path = ("route", route, "rules", at, "backendRefs", index)
                if text(mapping(backend).get("kind")) in ("", "Service"):
                    yield from _backend(app, "route", mapping(backend), path)
    for ingress, one in enabled(release.values.get("ingress")).items():
        for at, host in enumerate(items(one.get("hosts"))):
            for index, way in enumerate(items(mapping(host).get("paths"))):
                path = ("ingress", ingress, "hosts", at, "paths", index, "service")
                yield from _backend(app, "ingress", mapping(mapping(way).get("service")), path)
    for monitor, one in enabled(release.values.get("serviceMonitor")).items():
        yield from _monitored(app, one, ("serviceMonitor", monitor))


def _backend(app: App, kind: str, told: dict[str, Any], path: Path) -> Iterator[Dangling]:
    if text(told.get("namespace")):
        return
    name, identifier = text(told.get("name")), text(told.get("identifier"))
    called = {app.called(key, one, len(app.services)): key for key, one in app.services.items()}
    key: str | None = identifier
    if name:
        version = app.release.version
        key = called.get(name)
        if key is None and name in app.services:
            if not version or version.startswith(_NAMES_ARE_KEYS[kind]):
                key = name
            else:
                yield Dangling(
                    (*path, "name"),
                    f"no Service has the name `{name}`, which is only an identifier of these "
                    f"values: {_THEN[kind]}",
                    (f"identifier: {name}",),
                )
    elif identifier and identifier not in app.services:
        yield lacking((*path, "identifier"), identifier, "service", app.services)
    if key in app.services:
        service, there = app.services[key], (*path, "port")
        yield from _port(kind, told.get("port"), service, key, there, app.release.version)


def _port(
    kind: str, asked: object, service: dict[str, Any], key: str, path: Path, release: str
) -> Iterator[Dangling]:
    """Yield a port that a service does not have, or that is invalid."""
    ports, version = enabled(service.get("ports")), read_version(release)
    numbers = [port.get("port") for port in ports.values()]
    if isinstance(asked, str) and not is_digits(asked):
        if "{" in asked or "$" in asked:
            return
        if asked not in ports:
            message = f"service `{key}` has no port `{asked}`: {_THEN[kind]}"
            yield Dangling(path, message, tuple(ports))
        elif kind == "route" and () < version <= _NUMBERS_ONLY:
            message = (
                f"app-template {release} copies `{asked}`, but a route's port must be a number: "
                "the API server refuses the route"
            )
            yield Dangling(path, message, (str(ports[asked].get("port")),))
    elif (
        isinstance(asked, int)
        and not isinstance(asked, bool)
        and all(isinstance(number, int) for number in numbers)
        and asked not in numbers
    ):
        known = tuple(str(number) for number in numbers)
        yield Dangling(path, f"service `{key}` has no port {asked}: {_THEN[kind]}", known)


def _monitored(app: App, one: dict[str, Any], path: Path) -> Iterator[Dangling]:
    """Yield the missing service of a monitor, and the missing ports that it scrapes."""
    service = mapping(one.get("service"))
    identifier = text(service.get("identifier"))
    if one.get("serviceName") or service.get("name") or one.get("selector"):
        return
    if identifier and identifier not in app.services:
        yield lacking((*path, "service", "identifier"), identifier, "service", app.services)
    key = identifier or (next(iter(app.services)) if len(app.services) == 1 else "")
    ports = enabled(mapping(app.services.get(key)).get("ports"))
    for index, endpoint in enumerate(items(one.get("endpoints"))):
        port = text(mapping(endpoint).get("port"))
        if key in app.services and port and port not in ports and "{" not in port:
            yield Dangling(
                (*path, "endpoints", index, "port"),
                f"service `{key}` has no port `{port}`: nothing is scraped",
                tuple(ports),
            )
