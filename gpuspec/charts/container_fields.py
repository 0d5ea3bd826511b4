"""Fields of a container that a chart puts together: its image, what is started, its GPUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import is_empty
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from gpuspec.charts.chart_object import Sheet
    from gpuspec.charts.model import DeviceValues, ImageValues, Start
    from gpuspec.charts.pod_values import PodValues
    from gpuspec.manifests import Path

NVIDIA = "nvidia.com/gpu"


def put_image(sheet: Sheet, there: Path, image: ImageValues, said: PodValues) -> None:
    """Write the image, as far as the values say it."""
    repository, name, tag = said.of(image.repository), said.of(image.name), said.of(image.tag)
    written = "/".join(each for each in (repository, name) if isinstance(each, str))
    if not written or (image.name and not name):
        written = image.default
    if not written:
        return
    place = said.place(image.tag) or said.place(image.name) or said.place(image.repository)
    if image.tag and tag is None:
        # The chart has a tag of its own.
        if image.default:
            sheet.put((*there, "image"), written)
        return
    sheet.put((*there, "image"), f"{written}:{tag}" if image.tag else written, place)


def put_start(sheet: Sheet, there: Path, start: Start, said: PodValues) -> None:
    """Write the command line that the template makes of several values."""
    if start.when and said.of(start.when) != start.word:
        return
    written: list[tuple[object, Path | None]] = []
    if start.operand:
        first = text(said.of(start.operand)).removeprefix(start.strip)
        if not first or "{{" in first:
            return
        written.append((first, said.place(start.operand)))
    for path, option in start.options.items():
        value, place = said.of(path), said.place(path)
        if not is_empty(value):
            written += [(option, place), (str(value), place)]
    place = said.place(start.words)
    if place is not None:
        written += [
            (word, (*place, index))
            for index, word in enumerate(items(said.of(start.words)))
            if isinstance(word, str)
        ]
    sheet.put((*there, "command"), list(start.command))
    sheet.put((*there, "args"), [])
    for index, (word, place) in enumerate(written):
        sheet.put((*there, "args", index), word, place)


def put_devices(sheet: Sheet, there: Path, devices: DeviceValues, said: PodValues) -> None:
    """Write how many GPUs are asked for, beside the amounts that are written as they are."""
    if (devices.when and said.of(devices.when) is not True) or said.of(devices.unless):
        return
    name = text(said.of(devices.name)) or NVIDIA
    if devices.kind:
        kind = text(said.of(devices.kind)) or next(iter(devices.kinds))
        if kind not in devices.kinds:
            return
        name = devices.kinds[kind]
    factors = [(said.of(each), said.place(each)) for each in devices.count]
    places = [place for _, place in factors if place is not None]
    values = [value for value, _ in factors if not is_empty(value)]
    # A single number is the API server's to judge, whatever it is.
    count = values[0] if len(values) == 1 else _product(values) if values else devices.least
    limits: Path = (*there, "resources", "limits")
    if not is_empty(count) and name not in mapping(at(sheet.value, limits)):
        sheet.put((*limits, name), count, places[0] if places else None)


def _product(values: list[Any]) -> int | None:
    numbers = [read_whole(each) if isinstance(each, str) else whole(each) for each in values]
    return math.prod(each for each in numbers if each) if all(numbers) else None
