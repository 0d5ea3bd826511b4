"""Whether a row of the tables of contradictions applies: by settings, by releases, and by what else is
in the set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading.releases import all_releases, releases_of
from gpuspec.lint.model import RawFinding
from gpuspec.numbers import read_version
from gpuspec.products import component_releases, contradictions_of, distributions, met

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.charts.release import Release
    from gpuspec.hardware import GpuModel
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.products import Condition, Contradiction, Spot
    from gpuspec.products.model import Sign

METADATA = "metadata"


def of_releases(obj: Object, context: Context, *, faults: bool) -> Iterator[RawFinding]:
    """Yield findings of the table for the releases that an object requests: known faults, or their
    settings."""
    for release in releases_of(obj, context):
        for row in contradictions_of(release.chart):
            if row.fault == faults and is_within(release.version, row.since, row.until):
                spots = _met_in(row.when, release)
                if spots is not None and fits(row, context, obj):
                    yield finding_of(row, spots, *_place(obj, release, spots))


def object_settings(obj: Object) -> dict[str, Any]:
    """Return an object's settings: its spec, or all of it for a kind without one or beside its
    status."""
    whole = {key: value for key, value in obj.value.items() if key != "spec"}
    return {**whole, **obj.spec, METADATA: obj.value.get(METADATA)}


def met_all(
    conditions: tuple[Condition, ...],
    settings: dict[str, Any],
    releases: Mapping[str, str] | None = None,
    *,
    whole: bool = True,
) -> list[Spot] | None:
    """Return where settings meet each condition; None if one is not met. If other values override
    these, a missing value tells nothing."""
    spots = []
    for condition in conditions:
        spot = met(condition, settings, releases)
        if spot is None or (not whole and not spot.written):
            return None
        spots.append(spot)
    return spots


def is_within(version: str, since: str, until: str) -> bool:
    """Return whether a release is between two others; of an unknown one, whether the newest is."""
    number = read_version(version)
    if not number:
        return not until
    least, most = read_version(since), read_version(until)
    return least <= number and (not most or number <= most)


def fits(row: Contradiction, context: Context, obj: Object) -> bool:
    """Return whether the other objects are those that a row is about."""
    collection = context.collection
    return (
        not row.distributions or any(is_on(name, collection) for name in row.distributions)
    ) and (
        not row.beside or any(_is_beside(row, product, collection, obj) for product in row.beside)
    )


def is_on(name: str, collection: Collection) -> bool:
    """Return whether a set shows a distribution."""
    return any(_is_shown(sign, collection) for sign in distributions()[name].signs)


def has_one_of(gpus: tuple[str, ...], models: Iterable[GpuModel]) -> bool:
    """Return whether one of some models is among those that a row names."""
    return any(
        model.family in gpus or model.name.startswith(gpus)
        for model in models
        if model.vendor == "nvidia"
    )


def finding_of(
    row: Contradiction, spots: list[Spot], path: Path, inside: Path | None
) -> RawFinding:
    """Return the finding of a row for the values at some places."""
    says = row.says
    for index, spot in enumerate(spots):
        says = says.replace(f"{{{index}}}", str(spot.value))
    return RawFinding(
        path,
        says,
        note=row.note,
        severity=None if row.level == "warning" else row.level,
        confidence="certain" if row.certain else "likely",
        inside=inside,
    )


def _place(obj: Object, release: Release, spots: list[Spot]) -> tuple[Path, Path | None]:
    """Return the path of a release's first setting that a row is about, and the path in a text."""
    if not spots:
        return release.path[:-1], None
    path = spots[0].path
    return (obj.path(METADATA), None) if path[:1] == (METADATA,) else release.place(*path)


def _met_in(conditions: tuple[Condition, ...], release: Release) -> list[Spot] | None:
    releases = component_releases(release.chart, release.version)
    settings = {**release.values, METADATA: {"namespace": release.namespace or None}}
    return met_all(conditions, settings, releases, whole=release.whole)


def _is_shown(sign: Sign, collection: Collection) -> bool:
    group, slash, kind = sign.of.rpartition("/")
    if not slash:
        return any(
            release.chart == sign.of and _met_in(sign.which, release) is not None
            for _, release in all_releases(collection)
        )
    shown = [
        met_all(sign.which, object_settings(obj)) is not None for obj in collection.of(group, kind)
    ]
    return bool(shown) and (all(shown) if sign.all else any(shown))


def _is_beside(row: Contradiction, product: str, collection: Collection, itself: Object) -> bool:
    """Return whether the set has this other product, with settings that a row is about."""
    group, slash, kind = product.rpartition("/")
    if slash:
        return not row.beside_until and any(
            met_all(row.which, object_settings(obj)) is not None
            for obj in collection.of(group, kind)
            if obj is not itself
        )
    return any(
        release.chart == product
        and is_within(release.version, row.beside_since, row.beside_until)
        and _met_in(row.which, release) is not None
        for _, release in all_releases(collection)
    )
