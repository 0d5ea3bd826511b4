"""Pods of which values say parts: what the chart's own templates add is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.made import Sheet, is_empty
from gpuspec.charts.model import PLAIN, Row
from gpuspec.kinds import mappings_at
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.made import Made
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

NVIDIA = "nvidia.com/gpu"
_SPEC: Path = ("spec", "template", "spec")
_CONTAINER: Path = (*_SPEC, "containers", 0)
_AMOUNTS = ("limits", "requests")
_DEPTH = 8
"""Values are not nested deeper; what is, is a text or an object of its own."""


def told(release: Release, row: Row) -> Iterator[Made]:
    """The pods of a chart of the table."""
    for path, _ in mappings_at(release.values, row.at):
        yield _pod(release, row, path)


def plain(release: Release) -> Iterator[Made]:
    """The pods of a chart that is not known, by what most charts call their parts: wherever amounts
    of resources are said, the rest of a pod is said beside them."""
    waiting: list[tuple[Path, object]] = [((), release.values)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, dict):
            amounts = mapping(one.get("resources"))
            asked = [amounts[each] for each in _AMOUNTS if isinstance(amounts.get(each), dict)]
            # Claims for volumes have amounts of their own.
            if asked and not any("storage" in each for each in asked):
                yield _pod(release, PLAIN, path)
            if len(path) < _DEPTH:
                waiting += [((*path, key), child) for key, child in reversed(one.items())]


def _pod(release: Release, row: Row, base: Path) -> Made:
    sheet = Sheet(release.values)
    for field, value in (("apiVersion", "apps/v1"), ("kind", "Deployment")):
        sheet.put((field,), value)
    sheet.put(("metadata",), {"name": release.name})
    if release.namespace:
        sheet.put(("metadata", "namespace"), release.namespace)
    sheet.put(_CONTAINER, {"name": release.chart or "app"})
    for fields, there in ((row.pod, _SPEC), (row.container, _CONTAINER)):
        for field, said in fields.items():
            sheet.copy((*there, *field.split(".")), (*base, *said.split(".")))
    env = (*_CONTAINER, "env")
    if not isinstance(at(sheet.value, env), list | None):
        del at(sheet.value, _CONTAINER)["env"]
    holder = at(release.values, base)
    if row.image is not None:
        _put_image(sheet, row, holder, base)
    if row.command and row.operand and text(_said(holder, row.operand)):
        _put_words(sheet, row, holder, base)
    if row.devices is not None:
        _put_devices(sheet, row, holder, base)
    return sheet.made(whole=False)


def _said(holder: object, path: str) -> Any:
    return at(holder, tuple(path.split(".")))


def _put_image(sheet: Sheet, row: Row, holder: object, base: Path) -> None:
    assert row.image is not None
    repository, tag = _said(holder, row.image.repository), _said(holder, row.image.tag)
    if isinstance(repository, str) and repository and not is_empty(tag):
        place = (*base, *row.image.tag.split("."))
        sheet.put((*_CONTAINER, "image"), f"{repository}:{tag}", place)


def _put_words(sheet: Sheet, row: Row, holder: object, base: Path) -> None:
    sheet.put((*_CONTAINER, "command"), list(row.command))
    place: Path
    said: list[tuple[object, Path]] = [(_said(holder, row.operand), tuple(row.operand.split(".")))]
    for path, option in row.options.items():
        value, place = _said(holder, path), tuple(path.split("."))
        if not is_empty(value):
            said += [(option, place), (str(value), place)]
    place = tuple(row.words.split("."))
    said += [
        (word, (*place, index))
        for index, word in enumerate(items(_said(holder, row.words)))
        if isinstance(word, str)
    ]
    for index, (word, place) in enumerate(said):
        sheet.put((*_CONTAINER, "args", index), word, (*base, *place))


def _put_devices(sheet: Sheet, row: Row, holder: object, base: Path) -> None:
    """Write how many GPUs are asked for, beside the amounts that are written as they are."""
    devices = row.devices
    assert devices is not None
    count = _said(holder, devices.count)
    if is_empty(count) or (devices.when and _said(holder, devices.when) is not True):
        return
    name = text(_said(holder, devices.name)) or NVIDIA
    limits: Path = (*_CONTAINER, "resources", "limits")
    written = mapping(at(sheet.value, limits))
    if name not in written:
        sheet.put(limits, {**written, name: count}, sheet.origins.get(limits))
        sheet.origins[(*limits, name)] = (*base, *devices.count.split("."))
