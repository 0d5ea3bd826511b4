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
    for route, entry in enabled(release.values.get("route")).items():
        for at, rule in enumerate(items(entry.get("rules"))):
            for index, backend in enumerate(items(mapping(rule).get("backendRefs"))):
                path: Path = ("route", route, "rules", at, "backendRefs", index)
                if text(mapping(backend).get("kind")) in ("", "Service"):
                    yield from _backend(app, "route", mapping(backend), path)
    for ingress, entry in enabled(release.values.get("ingress")).items():
        for at, host in enumerate(items(entry.get("hosts"))):
            for index, way in enumerate(items(mapping(host).get("paths"))):
                path = ("ingress", ingress, "hosts", at, "paths", index, "service")
                yield from _backend(app, "ingress", mapping(mapping(way).get("service")), path)
    for monitor, entry in enabled(release.values.get("serviceMonitor")).items():
        yield from _monitored(app, entry, ("serviceMonitor", monitor))


def _backend(app: App, kind: str, reference: dict[str, Any], path: Path) -> Iterator[Dangling]:
    if text(reference.get("namespace")):
        return
    name, identifier = text(reference.get("name")), text(reference.get("identifier"))
    called = {
        app.called(key, service_values, len(app.services)): key
        for key, service_values in app.services.items()
    }
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
        service, port_path = app.services[key], (*path, "port")
        yield from _port(kind, reference.get("port"), service, key, port_path, app.release.version)


def _port(
    kind: str, requested_port: object, service: dict[str, Any], key: str, path: Path, release: str
) -> Iterator[Dangling]:
    """Yield a port that a service does not have, or that is invalid."""
    ports, version = enabled(service.get("ports")), read_version(release)
    numbers = [port.get("port") for port in ports.values()]
    if isinstance(requested_port, str) and not is_digits(requested_port):
        if "{" in requested_port or "$" in requested_port:
            return
        if requested_port not in ports:
            message = f"service `{key}` has no port `{requested_port}`: {_THEN[kind]}"
            yield Dangling(path, message, tuple(ports))
        elif kind == "route" and () < version <= _NUMBERS_ONLY:
            message = (
                f"app-template {release} copies `{requested_port}`, but a route's port must be a number: "
                "the API server refuses the route"
            )
            yield Dangling(path, message, (str(ports[requested_port].get("port")),))
    elif (
        isinstance(requested_port, int)
        and not isinstance(requested_port, bool)
        and all(isinstance(number, int) for number in numbers)
        and requested_port not in numbers
    ):
        existing_ports = tuple(str(number) for number in numbers)
        yield Dangling(
            path, f"service `{key}` has no port {requested_port}: {_THEN[kind]}", existing_ports
        )


def _monitored(app: App, monitor: dict[str, Any], path: Path) -> Iterator[Dangling]:
    """Yield the missing service of a monitor, and the missing ports that it scrapes."""
    service = mapping(monitor.get("service"))
    identifier = text(service.get("identifier"))
    if monitor.get("serviceName") or service.get("name") or monitor.get("selector"):
        return
    if identifier and identifier not in app.services:
        yield lacking((*path, "service", "identifier"), identifier, "service", app.services)
    key = identifier or (next(iter(app.services)) if len(app.services) == 1 else "")
    ports = enabled(mapping(app.services.get(key)).get("ports"))
    for index, endpoint in enumerate(items(monitor.get("endpoints"))):
        port = text(mapping(endpoint).get("port"))
        if key in app.services and port and port not in ports and "{" not in port:
            yield Dangling(
                (*path, "endpoints", index, "port"),
                f"service `{key}` has no port `{port}`: nothing is scraped",
                tuple(ports),
            )
