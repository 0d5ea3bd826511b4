"""Containers: their fields by the chart's names, environment in four forms, probes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import is_empty
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from gpuspec.charts.app_template.app import App
    from gpuspec.charts.chart_object import Sheet
    from gpuspec.manifests import Path

_SAME = (
    "workingDir",
    "securityContext",
    "lifecycle",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "ports",
    "resources",
    "restartPolicy",
    "stdin",
    "tty",
)
"""Fields that the chart copies."""
_PROBES = ("liveness", "readiness", "startup")
_DEFAULTS = {
    "initialDelaySeconds": 0,
    "failureThreshold": 3,
    "timeoutSeconds": 1,
    "periodSeconds": 10,
}


def put_container(sheet: Sheet, app: App, controller: str, kind: str, key: str, path: Path) -> None:
    """Write one container of a controller; `kind` is `containers` or `initContainers`."""
    origin: Path = ("controllers", controller, kind, key)
    owner = app.controllers[controller]
    container = mapping(mapping(owner.get(kind)).get(key))
    sheet.put(path, {}, origin)
    sheet.put((*path, "name"), app.filled(text(container.get("nameOverride")) or key), origin)
    for field, (at, value) in _merged(owner, container, origin, controller, kind).items():
        if is_empty(value):
            continue
        if field == "image":
            _put_image(sheet, path, value, at)
        elif field in ("command", "args"):
            if isinstance(value, str):
                sheet.put((*path, field), [value], at)
                sheet.origins[(*path, field, 0)] = at
            else:
                sheet.put((*path, field), value, at)
        elif field == "env":
            _put_env(sheet, app, path, value, at)
        elif field == "envFrom":
            _put_env_from(sheet, app, path, value, at)
        elif field == "probes":
            _put_probes(sheet, app, controller, path, value, at)
        elif field in _SAME:
            sheet.put((*path, field), value, at)


def _merged(
    owner: dict[str, Any], container: dict[str, Any], origin: Path, controller: str, kind: str
) -> dict[str, tuple[Path, Any]]:
    """Return the values of a container, merged with its controller's defaults: fields, and their
    places.
    """
    fields = {field: ((*origin, field), value) for field, value in container.items()}
    if (
        kind == "initContainers"
        and owner.get("applyDefaultContainerOptionsToInitContainers") is False
    ):
        return fields
    base: Path = ("controllers", controller, "defaultContainerOptions")
    for field, value in mapping(owner.get("defaultContainerOptions")).items():
        if field not in fields or is_empty(container.get(field)):
            fields[field] = (*base, field), value
    return fields


def _put_image(sheet: Sheet, path: Path, value: object, at: Path) -> None:
    if isinstance(value, str):
        sheet.put((*path, "image"), value, at)
        return
    image = mapping(value)
    repository, tag = text(image.get("repository")), image.get("tag")
    if not repository:
        return
    reference = repository if is_empty(tag) else f"{repository}:{tag}"
    if digest := text(image.get("digest")):
        reference = f"{reference}@{digest}"
    sheet.put((*path, "image"), reference, (*at, "repository" if is_empty(tag) else "tag"))
    if policy := text(image.get("pullPolicy")):
        sheet.put((*path, "imagePullPolicy"), policy, (*at, "pullPolicy"))


def _put_env(sheet: Sheet, app: App, path: Path, value: object, at: Path) -> None:
    entries: list[tuple[Path, str, object]] = []
    if isinstance(value, dict):
        entries = [((*at, name), name, variable) for name, variable in value.items()]
    else:
        entries = [
            ((*at, index), text(mapping(variable).get("name")), variable)
            for index, variable in enumerate(items(value))
        ]
    for index, (origin, name, variable) in enumerate(entries):
        entry = (*path, "env", index)
        sheet.put(entry, {"name": name}, origin)
        if not isinstance(variable, dict):
            sheet.put((*entry, "value"), _text(app.filled(variable)), origin)
        elif "value" in variable:
            sheet.put((*entry, "value"), _text(app.filled(variable["value"])), (*origin, "value"))
        elif "valueFrom" in variable:
            sheet.put((*entry, "valueFrom"), variable["valueFrom"], (*origin, "valueFrom"))
        else:
            rest = {
                key: field_value
                for key, field_value in variable.items()
                if key not in ("name", "dependsOn")
            }
            sheet.put((*entry, "valueFrom"), rest, origin)


def _text(value: object) -> object:
    """Return a number or a boolean as the chart writes it: as text.

    Numbers of seven digits and more get an exponent, like Go prints them: Helm reads all numbers as
    floats.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**6:
        digits = str(abs(value))
        mantissa = digits.rstrip("0")
        rest = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
        return f"{'-' if value < 0 else ''}{mantissa[0]}{rest}e+{len(digits) - 1:02}"
    return str(value) if isinstance(value, int | float) else value


_SHORT = {"configMap": "configMapRef", "secret": "secretRef"}


def _put_env_from(sheet: Sheet, app: App, path: Path, value: object, at: Path) -> None:
    count = 0
    for index, source in enumerate(items(value)):
        origin = (*at, index)
        for short, long in _SHORT.items():
            reference = mapping(source).get(short, mapping(source).get(long))
            identifier = reference if isinstance(reference, str) else mapping(reference).get("name")
            if isinstance(identifier, str):
                sheet.put(
                    (*path, "envFrom", count), {long: {"name": app.filled(identifier)}}, origin
                )
                count += 1
                break


def _put_probes(
    sheet: Sheet, app: App, controller: str, path: Path, value: object, at: Path
) -> None:
    for name in _PROBES:
        probe = mapping(mapping(value).get(name))
        if probe.get("enabled") is not True:
            continue
        target, origin = (*path, f"{name}Probe"), (*at, name)
        spec = mapping(probe.get("spec"))
        if probe.get("custom"):
            if spec:
                sheet.put(target, spec, (*origin, "spec"))
            continue
        port = app.primary_port(controller)
        if port is None:
            continue
        sheet.put(target, {}, origin)
        for field, default in _DEFAULTS.items():
            field_value = spec.get(field)
            at_spec = (*origin, "spec", field) if field in spec else None
            sheet.put((*target, field), default if field_value is None else field_value, at_spec)
        kind = str(probe.get("type") or "TCP")
        handler = {"HTTP": "httpGet", "HTTPS": "httpGet", "GRPC": "grpc"}.get(kind, "tcpSocket")
        if handler == "httpGet":
            sheet.put((*target, handler, "scheme"), kind, (*origin, "type"))
            if probe.get("path"):
                sheet.put((*target, handler, "path"), probe["path"], (*origin, "path"))
        probe_port = probe.get("port")
        sheet.put(
            (*target, handler, "port"),
            port[1] if is_empty(probe_port) else app.filled(probe_port),
            port[0] if is_empty(probe_port) else (*origin, "port"),
        )
