"""Settings of a product that contradict one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.releases import all_releases, releases_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import read_version
from gpuspec.products import contradictions_of, met

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.products import Condition, Contradiction, Spot

RULE = Rule(
    "GPU851",
    "settings-contradict",
    "warning",
    "Settings of an operator, a network, a provider or a job contradict each other",
    gives_way=("GPU112", "GPU113", "GPU780", "GPU835"),
)
_METADATA = "metadata"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values of charts and specs of kinds, by the table of what does not go together."""
    for release in releases_of(obj, context):
        for row in contradictions_of(release.chart):
            spots = _met(row.when, release.values, whole=release.whole)
            bounds = (row.since, row.until)
            if spots and _is_within(release.version, *bounds) and _fits(row, context):
                place, inside = release.place(*spots[0].path)
                yield _found(row, spots, place, inside)
    for row in contradictions_of(f"{obj.group}/{obj.kind}"):
        spots = _met(row.when, _settings(obj), whole=True)
        if spots and not row.until and _fits(row, context):
            yield _found(row, spots, obj.path(*_within(spots[0].path, obj)), spots[0].inside)


def _within(path: Path, obj: Object) -> Path:
    """Return the path from the object's root: of a kind without a spec as it is."""
    is_outside = path[:1] == (_METADATA,) or (path and path[0] in obj.value and not obj.spec)
    return path if is_outside else ("spec", *path)


def _settings(obj: Object) -> dict[str, Any]:
    """Return an object's settings: its spec, or all of it for a kind without one or beside its
    status."""
    whole = {key: value for key, value in obj.value.items() if key != "spec"}
    return {**whole, **obj.spec, _METADATA: obj.value.get(_METADATA)}


def _met(conditions: tuple[Condition, ...], settings: dict[str, Any], *, whole: bool) -> list[Spot]:
    """Return where settings meet each of a row's conditions; nothing where one is not met. Of
    values that others are laid over, what is not written tells nothing."""
    spots = []
    for condition in conditions:
        spot = met(condition, settings)
        if spot is None or (not whole and not spot.written):
            return []
        spots.append(spot)
    return spots


def _is_within(version: str, since: str, until: str) -> bool:
    """Return whether a release is between two others; of an unknown one, whether the newest is."""
    number = read_version(version)
    if not number:
        return not until
    least, most = read_version(since), read_version(until)
    return least <= number and (not most or number <= most)


def _fits(row: Contradiction, context: Context) -> bool:
    """Return whether the other objects are those that a row is about."""
    return not row.beside or any(
        _is_such(row, product, context.collection) for product in row.beside
    )


def _is_such(row: Contradiction, product: str, collection: Collection) -> bool:
    """Return whether the set has this other product, with settings that a row is about."""
    group, slash, kind = product.rpartition("/")
    if slash:
        objects = collection.of(group, kind)
        return not row.beside_until and any(
            _met(row.which, _settings(obj), whole=True) or not row.which for obj in objects
        )
    return any(
        release.chart == product
        and _is_within(release.version, row.beside_since, row.beside_until)
        and (not row.which or _met(row.which, release.values, whole=release.whole))
        for _, release in all_releases(collection)
    )


def _found(row: Contradiction, spots: list[Spot], path: Path, inside: Path | None) -> RawFinding:
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
