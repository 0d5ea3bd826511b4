"""Settings of a product that contradict one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.devices.contradictions import (
    METADATA,
    finding_of,
    fits,
    met_all,
    object_settings,
    of_releases,
)
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.products import contradictions_of, scopes, within

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object
    from gpuspec.products import Contradiction, Spot

RULE = Rule(
    "GPU851",
    "settings-contradict",
    "warning",
    "Settings of an operator, a network, a provider or a job contradict each other",
    gives_way=("GPU112", "GPU113", "GPU780", "GPU835"),
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values of charts and specs of kinds, by the table of what does not go together."""
    yield from of_releases(obj, context, faults=False)
    for row in contradictions_of(f"{obj.group}/{obj.kind}"):
        for spots in () if row.until else _each_met(row, object_settings(obj)):
            if fits(row, context, obj):
                path, inside = (spots[0].path, spots[0].inside) if spots else ((), None)
                yield finding_of(row, spots, obj.path(*_within(path, obj)), inside)


def _each_met(row: Contradiction, settings: dict[str, Any]) -> Iterator[list[Spot]]:
    """Yield where settings meet all of a row's conditions, for each mapping that the row judges."""
    for scope in scopes(row.scope, settings):
        spots = met_all(row.when, scope.value)
        if spots is not None:
            yield [within(scope, spot) for spot in spots]


def _within(path: Path, obj: Object) -> Path:
    """Return the path from the object's root: of a kind without a spec as it is."""
    is_outside = path[:1] == (METADATA,) or (path and path[0] in obj.value and not obj.spec)
    return path if is_outside else ("spec", *path)
