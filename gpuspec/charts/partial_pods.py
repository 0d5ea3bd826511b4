"""Pods whose values set only parts: the chart's own templates may add others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import Sheet, is_empty
from gpuspec.charts.container_fields import put_devices, put_image, put_start
from gpuspec.charts.model import PLAIN, ChartPods
from gpuspec.charts.pod_values import PodValues
from gpuspec.kinds import mappings_at
from gpuspec.manifests.values import at, items, mapping, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.model import Paths
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

_SPEC: Path = ("spec", "template", "spec")
_AMOUNTS = ("limits", "requests")
_DEPTH = 8
"""The maximum depth of values; deeper ones are texts or objects of their own."""


def told(release: Release, row: ChartPods) -> Iterator[ChartObject]:
    """Yield the pods of a chart of the table."""
    for path, holder in mappings_at(release.values, row.at):
        pod_values = PodValues(release.values, path)
        if at(holder, tuple(row.switch.split("."))) is not False and not pod_values.of(row.unless):
            sheet = _pod(release, row, pod_values)
            _put_replicas(sheet, row, pod_values)
            yield sheet.made(whole=False)


def configured(release: Release, patterns: tuple[str, ...]) -> Iterator[ChartObject]:
    """Yield the ConfigMaps whose data are values."""
    for path, _ in mappings_at(release.values, patterns):
        sheet = Sheet(release.values)
        _begin(sheet, release, "v1", "ConfigMap", path)
        sheet.copy(("data",), path)
        yield sheet.made(whole=False)


def plain(release: Release) -> Iterator[ChartObject]:
    """Yield the pods of an unknown chart, by the names that most charts use for their parts: next
    to the resources are the other parts of a pod.
    """
    waiting: list[tuple[Path, object]] = [((), release.values)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            amounts = mapping(value.get("resources"))
            requests = [
                amounts[field] for field in _AMOUNTS if isinstance(amounts.get(field), dict)
            ]
            # Claims for volumes have amounts of their own.
            if requests and not any("storage" in resource_amounts for resource_amounts in requests):
                sheet = _pod(release, PLAIN, PodValues(release.values, path))
                _drop_texts(at(sheet.value, _SPEC))
                yield sheet.made(whole=False, is_told=False)
            if len(path) < _DEPTH:
                waiting += [((*path, key), child) for key, child in reversed(value.items())]


def _drop_texts(spec: dict[str, Any]) -> None:
    """Remove YAML in texts: such charts render it as a template, and it is no field of a pod."""
    for field in PLAIN.pod:
        if isinstance(text := spec.get(field), str) and ":" in text:
            del spec[field]


def _begin(sheet: Sheet, release: Release, version: str, kind: str, base: Path) -> None:
    sheet.put(("apiVersion",), version)
    sheet.put(("kind",), kind)
    # What the chart calls it is not known: no other object is to have the name.
    name = "-".join(map(str, (release.name, release.chart or "app", *base)))
    sheet.put(("metadata",), {"name": name})
    if release.namespace:
        sheet.put(("metadata", "namespace"), release.namespace)


def _pod(release: Release, row: ChartPods, pod_values: PodValues) -> Sheet:
    sheet = Sheet(release.values)
    _begin(sheet, release, "apps/v1", row.kind, pod_values.base)
    name = release.chart or "app"
    _copy(sheet, _SPEC, row.pod, pod_values)
    if not row.containers:
        _put_container(sheet, (*_SPEC, "containers", 0), name, row, pod_values, pod_values)
        return sheet
    for index, item in enumerate(items(pod_values.of(row.containers))):
        path: Path = (*_SPEC, "containers", index)
        inner = pod_values.inner(*row.containers.split("."), index)
        item_name = mapping(item).get("name")
        _put_container(
            sheet,
            path,
            item_name if isinstance(item_name, str) else name,
            row,
            inner,
            pod_values,
        )
        if row.devices is not None and index == 0:
            put_devices(sheet, path, row.devices, pod_values)
    return sheet


def _put_container(
    sheet: Sheet, path: Path, name: str, row: ChartPods, values: PodValues, pod_values: PodValues
) -> None:
    """Write a container of the values at its own place, and of those at the place of its pod."""
    sheet.put(path, {"name": name})
    _copy(sheet, path, row.container, values)
    if not isinstance(at(sheet.value, (*path, "env")), list | None):
        del at(sheet.value, path)["env"]
    for variable, paths in row.secrets.items():
        if (place := values.place(paths)) is not None:
            _put_secret(sheet, path, variable, place)
    if row.image is not None:
        put_image(sheet, path, row.image, values)
    put_start(sheet, path, row.starts, values, pod_values)
    if row.devices is not None and not row.containers:
        put_devices(sheet, path, row.devices, values)


def _put_secret(sheet: Sheet, container_path: Path, variable: str, place: Path) -> None:
    """Add a variable from a Secret, whose name is a value."""
    container = at(sheet.value, container_path)
    env = items(container.get("env"))
    reference = {"name": at(sheet.values, place), "key": variable}
    container["env"] = [*env, {"name": variable, "valueFrom": {"secretKeyRef": reference}}]
    for field in reference:
        path: Path = (*container_path, "env", len(env), "valueFrom", "secretKeyRef", field)
        sheet.origins[path] = place


def _copy(sheet: Sheet, path: Path, fields: dict[str, Paths], pod_values: PodValues) -> None:
    for field, paths in fields.items():
        if (place := pod_values.place(paths)) is not None:
            value = _without_nulls(at(sheet.values, place))
            if not is_empty(value):
                sheet.put((*path, *field.split(".")), value, place)


def _without_nulls(value: Any) -> Any:
    """Return a value without its null fields: they delete the chart's own."""
    if not isinstance(value, dict):
        return value
    return {key: _without_nulls(child) for key, child in value.items() if child is not None}


def _put_replicas(sheet: Sheet, row: ChartPods, pod_values: PodValues) -> None:
    place = pod_values.place(row.replicas)
    if place is not None and whole(pod_values.of(row.replicas)) is not None:
        sheet.copy(("spec", "replicas"), place)
