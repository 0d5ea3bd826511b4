"""Two charts bring a part that a cluster can have once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.reading.releases import all_releases
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at
from gpuspec.products import charts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.release import Release
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.products import Brought

RULE = Rule(
    "GPU790",
    "brought-twice",
    "warning",
    "Two charts install the same part of the GPU platform",
)
_BINDING = ("nodeSelector", "affinity")


class _Bringer(msgspec.Struct, frozen=True):
    """What brings a part."""

    object: Object
    name: str
    path: Path
    inside: Path | None = None
    switch: str = ""
    """The value that turns it off; empty if there is none."""


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield parts that two releases bring which are applied together, of charts that the whole set
    has once: of several clusters each may have its own."""
    for part, single_part in charts().parts.items():
        bringers = list(_bringers(part, collection))
        for index, later in enumerate(bringers):
            earlier = next(
                (bringer for bringer in bringers[:index] if _together(bringer, later)), None
            )
            if earlier is None:
                continue
            off = next((bringer for bringer in (later, earlier) if bringer.switch), None)
            note = (
                "install only one of the two"
                if off is None
                else f"set `{off.switch}: false` in {off.name}"
            )
            yield RawFinding(
                later.path,
                (
                    f"{earlier.name} and {later.name} both install {single_part.title}: "
                    f"{single_part.then}"
                ),
                note=note,
                confidence="likely",
                object=later.object.number,
                inside=later.inside,
                related=(RelatedPlace(earlier.object.number, earlier.path, "also installed here"),),
            )


def _bringers(part: str, collection: Collection) -> Iterator[_Bringer]:
    charted = [(obj, release) for obj, release in all_releases(collection) if release.chart]
    for obj, release in charted:
        chart = charts().charts.get(release.chart)
        brought = None if chart is None else chart.brings.get(part)
        alone = sum(release_of_chart.chart == release.chart for _, release_of_chart in charted) == 1
        if brought is None or not alone or any(release.values.get(key) for key in _BINDING):
            continue
        if _is_on(brought, release):
            path, inside = release.place(*filter(None, brought.switch.split(".")))
            name = f"chart `{release.chart}`"
            yield _Bringer(obj, name, path, inside, brought.switch)
    for kind_id in charts().parts[part].kinds:
        group, _, kind = kind_id.rpartition("/")
        objects = collection.of(group, kind)
        if len(objects) == 1:
            name = f"{kind} `{objects[0].name}`"
            yield _Bringer(objects[0], name, objects[0].path("metadata", "name"))


def _is_on(brought: Brought, release: Release) -> bool:
    """Return whether a release installs a part, according to its values. If other values override
    them, a missing value tells nothing."""
    if brought.always:
        return True
    switch_value = at(release.values, tuple(brought.switch.split(".")))
    if switch_value is None:
        return brought.default and release.whole
    return switch_value is True


def _together(bringer: _Bringer, other_bringer: _Bringer) -> bool:
    """Return whether two are applied to one cluster: from one folder, or from neighbours that each
    have an installation's name, as clusters' folders have not."""
    folders = [
        os.path.split(os.path.dirname(side.object.file)) for side in (bringer, other_bringer)
    ]
    if folders[0] == folders[1]:
        return True
    is_named = all(
        side.object.name == name
        for side, (_, name) in zip((bringer, other_bringer), folders, strict=True)
    )
    return is_named and folders[0][0] == folders[1][0]
