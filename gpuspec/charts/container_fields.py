"""Fields of a container that a chart assembles: image, command, GPUs."""

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


def put_image(sheet: Sheet, path: Path, image: ImageValues, pod_values: PodValues) -> None:
    """Write the image, as far as the values contain it."""
    repository, name, tag = (
        pod_values.of(image.repository),
        pod_values.of(image.name),
        pod_values.of(image.tag),
    )
    image_name = "/".join(part for part in (repository, name) if isinstance(part, str))
    if not image_name or (image.name and not name):
        image_name = image.default
    if not image_name:
        return
    place = (
        pod_values.place(image.tag)
        or pod_values.place(image.name)
        or pod_values.place(image.repository)
    )
    if image.tag and tag is None:
        # The chart has a tag of its own.
        if image.default:
            sheet.put((*path, "image"), image_name)
        return
    sheet.put((*path, "image"), f"{image_name}:{tag}" if image.tag else image_name, place)


def put_start(
    sheet: Sheet,
    container_path: Path,
    starts: tuple[Start, ...],
    values: PodValues,
    pod_values: PodValues,
) -> None:
    """Write the command line that the template makes of several values: those of the container,
    and those of its pod."""
    start = next(
        (start for start in starts if not start.when or values.of(start.when) == start.word),
        None,
    )
    if start is None:
        return
    words: list[tuple[object, Path | None]] = []
    if start.operand:
        first = text(values.of(start.operand)).removeprefix(start.strip)
        if not first or "{{" in first:
            return
        if start.option:
            words.append((start.option, None))
        words.append((first, values.place(start.operand)))
    for source, options in ((values, start.options), (pod_values, start.pod_options)):
        for path, option in options.items():
            value, place = source.of(path), source.place(path)
            if not is_empty(value):
                words += [(option, place), (str(value), place)]
    place = values.place(start.words)
    if place is not None:
        words += [
            (word, (*place, index))
            for index, word in enumerate(items(values.of(start.words)))
            if isinstance(word, str)
        ]
    if start.command:
        sheet.put((*container_path, "command"), list(start.command))
    sheet.put((*container_path, "args"), [])
    for index, (word, place) in enumerate(words):
        sheet.put((*container_path, "args", index), word, place)


def put_devices(sheet: Sheet, path: Path, devices: DeviceValues, pod_values: PodValues) -> None:
    """Write the number of requested GPUs, in addition to the literal amounts."""
    if (devices.when and pod_values.of(devices.when) is not True) or pod_values.of(devices.unless):
        return
    name = text(pod_values.of(devices.name)) or NVIDIA
    if devices.kind:
        kind = text(pod_values.of(devices.kind)) or next(iter(devices.kinds))
        if kind not in devices.kinds:
            return
        name = devices.kinds[kind]
    factors = [(pod_values.of(paths), pod_values.place(paths)) for paths in devices.count]
    places = [place for _, place in factors if place is not None]
    values = [value for value, _ in factors if not is_empty(value)]
    # A single number is the API server's to judge, whatever it is.
    count = values[0] if len(values) == 1 else _product(values) if values else devices.least
    if devices.rounded and isinstance(count, float) and count < 1:
        return
    limits: Path = (*path, "resources", "limits")
    if not is_empty(count) and name not in mapping(at(sheet.value, limits)):
        sheet.put((*limits, name), count, places[0] if places else None)


def _product(values: list[Any]) -> int | None:
    numbers = [read_whole(value) if isinstance(value, str) else whole(value) for value in values]
    return math.prod(number for number in numbers if number) if all(numbers) else None
