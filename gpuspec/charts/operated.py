"""Model servers that operators start from an object's spec, as their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.chart_object import Sheet, is_empty
from gpuspec.charts.release import Release
from gpuspec.charts.tables import servers
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.model import Server
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

_SPEC: Path = ("spec", "template", "spec")
_CONTAINER: Path = (*_SPEC, "containers", 0)


def spec_of(obj: Object) -> Release:
    """Return an object's spec, as if it were a chart's values."""
    return Release(
        chart=f"{obj.group}/{obj.kind}",
        version="",
        values=obj.spec,
        path=obj.path("spec"),
        is_text=False,
        whole=True,
        name=obj.name,
        namespace=obj.namespace,
    )


def started(release: Release) -> ChartObject | None:
    """Return the pod of the server of a spec; None if the table does not have it."""
    rows = servers().get(release.chart, ())
    row = next((row for row in rows if _is_meant(row, release)), None)
    return None if row is None else _pod(release, row)


def _is_meant(row: Server, release: Release) -> bool:
    field_text = text(release.values.get(row.field))
    return field_text in row.values and not (row.otherwise and release.values.get(row.otherwise))


def _pod(release: Release, row: Server) -> ChartObject:
    sheet = Sheet(release.values)
    for field, value in (("apiVersion", "apps/v1"), ("kind", "Deployment")):
        sheet.put((field,), value)
    sheet.put(("metadata",), {"name": release.name})
    if release.namespace:
        sheet.put(("metadata", "namespace"), release.namespace)
    sheet.put(_CONTAINER, {"name": "server"})
    for fields, path in ((row.pod, _SPEC), (row.container, _CONTAINER)):
        for field, value in fields.items():
            sheet.copy((*path, *field.split(".")), tuple(value.split(".")))
    if row.command:
        sheet.put((*_CONTAINER, "command"), list(row.command))
    _put_words(sheet, row)
    if row.variables:
        _put_variables(sheet, row.variables)
    return sheet.made(whole=False, line=True)


def _put_words(sheet: Sheet, row: Server) -> None:
    """Write the arguments in the operator's order: its own, those of fields, further ones."""
    arguments: list[tuple[str, Path | None]] = [(word, None) for word in row.first]
    for path, option in row.options.items():
        place: Path = tuple(path.split("."))
        value = at(sheet.values, place)
        if isinstance(value, str | int | float) and not is_empty(value):
            arguments += [(option, place), (str(value), place)]
    for path, words in row.switches.items():
        place = tuple(path.split("."))
        if at(sheet.values, place) is True:
            arguments += [(word, place) for word in words]
    place = tuple(row.words.split("."))
    arguments += [
        (word, (*place, index))
        for index, word in enumerate(items(at(sheet.values, place)))
        if isinstance(word, str)
    ]
    for index, (word, origin) in enumerate(arguments):
        sheet.put((*_CONTAINER, "args", index), word, origin)


def _put_variables(sheet: Sheet, dotted_path: str) -> None:
    """Write variables of a mapping as a pod's list."""
    place: Path = tuple(dotted_path.split("."))
    for index, (name, value) in enumerate(mapping(at(sheet.values, place)).items()):
        path: Path = (*_CONTAINER, "env", index)
        sheet.put(path, {"name": name, "value": value}, (*place, name))
        for field in ("name", "value"):
            sheet.origins[(*path, field)] = (*place, name)
