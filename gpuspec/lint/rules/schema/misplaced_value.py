"""Values of a chart at a place, or for a part of it, that is not there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from gpuspec.charts import app_template
from gpuspec.charts.chart_object import is_empty
from gpuspec.charts.model import ClosedMapping, KnownChart, Need
from gpuspec.charts.objects import is_app_template
from gpuspec.charts.release import Release
from gpuspec.charts.tables import chart_of
from gpuspec.charts.values.judging import (
    NUMBERS,
    is_later,
    is_of_another,
    is_read,
    is_shared,
    uses_values,
)
from gpuspec.enumeration import choice_of
from gpuspec.kinds import values_at
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path, format_path
from gpuspec.manifests.values import at, mapping
from gpuspec.numbers import read_version
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU789",
    "misplaced-value",
    "warning",
    "A chart value is at a path that the chart does not read",
)
_SHOWN = 10
_POD_VALUES = ("affinity", "nodeSelector", "resources", "runtimeClassName", "tolerations")
_HOMES = 3
"""A key of more mappings than these belongs to none of them above others."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield releases of charts of which some mappings are known in full."""
    for release in releases_of(obj, context):
        ours = is_app_template(release)
        chart = chart_of(app_template.NAME if ours else release.chart)
        if chart is None or (release.chart == app_template.NAME and not ours):
            continue
        name = app_template.NAME if ours else release.chart
        version = read_version(release.version)
        if not ours and is_of_another(release, chart):
            continue
        yield from _needs(release, name, chart, version)
        for closed in chart.mappings:
            if _holds(closed, version):
                yield from _unknown_fields(release, name, closed, chart, version)
                yield from _of_other_releases(release, name, closed, version)
        if ours and release.whole:
            yield from _dangling(release)


def _holds(closed: ClosedMapping, version: tuple[int, ...]) -> bool:
    """Return whether a mapping is known in full in a release; one that is not named is a late
    one."""
    return not version or version >= read_version(closed.begun)


def _unknown_fields(
    release: Release, name: str, closed: ClosedMapping, chart: KnownChart, version: tuple[int, ...]
) -> Iterator[RawFinding]:
    last = read_version(chart.releases[1]) if chart.releases else ()
    refused = closed.refused and len(version) == NUMBERS and version <= last
    was_read = is_read(closed.span, version) and not uses_values(release)
    if was_read and closed.refuses:
        refused = version >= read_version(closed.refuses)
    for path, value in values_at(release.values, closed.at):
        if isinstance(value, list) and value and not closed.loose:
            place, inside = release.place(*path)
            yield RawFinding(
                place,
                f"`{format_path(path)}` must be a map in chart {name}: the chart ignores the list",
                note=f"write a map with the keys {names(list(closed.keys))}",
                inside=inside,
            )
        unknown_fields = [
            key
            for key, inner_value in mapping(value).items()
            if key not in closed.keys
            and (path or key not in release.conditions)
            and inner_value is not None
            and (refused or (was_read and not is_shared(key)) or _is_misplaced(key, closed, chart))
        ]
        if unknown_fields:
            first = unknown_fields[0]
            close = near(first, closed.keys)
            home = _home_of(first, chart, path)
            place, inside = release.place(*path, first)
            are = "are" if len(unknown_fields) > 1 else "is"
            yield RawFinding(
                place,
                f"{names(unknown_fields)} {are} {closed.what} in chart {name}: "
                f"{_then(closed, refused=refused, was_read=was_read)}",
                note=home
                or (
                    f"did you mean `{close}`?"
                    if close
                    else "remove the value, or write a key that `helm show values` lists"
                ),
                key=True,
                confidence="likely",
                inside=inside,
            )


def _then(closed: ClosedMapping, *, refused: bool, was_read: bool) -> str:
    if closed.then:
        return closed.then
    if refused or closed.refused:
        return "Helm refuses the release"
    if was_read:
        return "Helm ignores the key"
    return "the chart rejects the values, or ignores the key"


def _of_other_releases(
    release: Release, name: str, closed: ClosedMapping, version: tuple[int, ...]
) -> Iterator[RawFinding]:
    """Yield keys that the chart reads in other releases than this one."""
    if len(version) != NUMBERS or is_later(closed.span, version):
        return
    gap = closed.span.gap if closed.span else None
    for path, value in values_at(release.values, closed.at):
        for key, inner_value in mapping(value).items():
            first, last = closed.since.get(key), closed.until.get(key)
            if first is not None and version < read_version(first):
                why = f"{first} is the first release with it"
            elif last is not None and version > read_version(last):
                is_newer = gap is not None and last == gap[0]
                why = (
                    f"only newer releases do, such as {last}"
                    if is_newer
                    else f"{last} was the last release with it"
                )
            else:
                continue
            place, inside = release.place(*path, key)
            if inner_value is not None:
                yield RawFinding(
                    place,
                    f"{name} {release.version} does not read `{format_path((*path, key))}`: {why}",
                    note="remove the value",
                    key=True,
                    confidence="likely",
                    inside=inside,
                )


def _needs(
    release: Release, name: str, chart: KnownChart, version: tuple[int, ...]
) -> Iterator[RawFinding]:
    """Yield values that templates read only if another one is set, which is not written."""
    reported: set[Path] = set()
    for need in chart.needs if release.whole else ():
        if need.span is not None and not is_read(need.span, version):
            continue
        for path, value in values_at(release.values, need.at):
            missing = _missing(release, path, need)
            if not is_empty(value) and missing and reported.isdisjoint(missing):
                reported.update(missing)
                place, inside = release.place(*path)
                needed_values = " or ".join(
                    f"`{format_path(needed_path[_shared(path[:-1], needed_path) :])}`"
                    for needed_path in missing
                )
                then = need.then or f"the templates read the value only if {needed_values} is set"
                yield RawFinding(
                    place,
                    f"`{path[-1]}` alone has no effect in chart {name}: {then}",
                    note=f"set {needed_values} as well",
                    key=True,
                    confidence="likely",
                    inside=inside,
                )


def _shared(pattern: Sequence[str | int], path: Path) -> int:
    """Return the number of steps that a pattern and a path begin with."""
    pairs = zip(pattern, path, strict=False)
    return len([*itertools.takewhile(lambda pair: pair[0] in ("*", pair[1]), pairs)])


def _missing(release: Release, path: Path, need: Need) -> list[Path]:
    """Return the other places of which one is to be written; nothing if one is written to be empty,
    or all are written."""
    absent: list[Path] = []
    for pattern in need.others:
        steps: Path = tuple(
            path[index] if step == "*" else step for index, step in enumerate(pattern.split("."))
        )
        holder = at(release.values, steps[:-1])
        if not isinstance(holder, dict) or steps[-1] not in holder:
            absent.append(steps)
        elif need.any or is_empty(holder[steps[-1]]):
            return []
    # The last is the closest one: `a.b` needs `a` too.
    return absent if need.any else absent[-1:]


def _is_misplaced(key: str, closed: ClosedMapping, chart: KnownChart) -> bool:
    """Return whether a key is surely none of a mapping's: of a newer release not all keys are
    known."""
    is_known = near(key, closed.keys) is not None or _home(key, chart) is not None
    return is_known or _is_foreign(key) or ("" in closed.at and _pod_home(key, chart) is not None)


def _home_of(key: str, chart: KnownChart, path: Path) -> str | None:
    """Return where a key at a path belongs. For a field of pods, the place of another part does not
    count."""
    if not path or key not in _POD_VALUES:
        return _home(key, chart, path) or _pod_home(key, chart)
    for row in chart.rows:
        place = row.pod.get(key)
        if path[0] in row.at and isinstance(place, str) and place.startswith("/"):
            return f"move the value to `{place[1:]}`"
    parts = next((inner.keys for inner in chart.mappings if key in inner.at), ())
    if path[-1] in parts:
        return f"move the value to `{key}.{path[-1]}`"
    home = _home(key, chart, path)
    return home if home and f"`{path[0]}." in home else None


def _pod_home(key: str, chart: KnownChart) -> str | None:
    """Return where a field of pods belongs that most charts read at the top of their values."""
    if key not in _POD_VALUES:
        return None
    for row in chart.rows:
        if key in row.pod:
            return f"move the value to `{row.at[0]}`"
        if any(field.split(".")[0] == key for field in row.container):
            return (
                f"move the value to `{row.at[0]}{f'.{row.containers}' if row.containers else ''}`"
            )
    return None


def _home(key: str, chart: KnownChart, path: Path = ()) -> str | None:
    """Return where a key at a path belongs; None if no other mapping has it, or many have."""
    places = sorted(
        {
            _nearest(mapping_keys.at, path)
            for mapping_keys in chart.mappings
            if key in mapping_keys.keys
        }
    )
    if path:
        # Another part's place is none for this part.
        places = [place for place in places if not place or _shared(place.split("."), path)]
    if not 0 < len(places) <= _HOMES:
        return None
    return "move the value to " + " or ".join(
        f"`{place}`" if place else "the top" for place in places
    )


def _nearest(patterns: tuple[str, ...], path: Path) -> str:
    """Return the place of a mapping that shares the longest beginning with a path."""
    return max(reversed(patterns), key=lambda pattern: _shared(pattern.split("."), path))


def _is_foreign(key: str) -> bool:
    """Return whether a key is a label's, an annotation's or a variable's."""
    return "/" in key or (key.isupper() and len(key) > 1)


def _dangling(release: Release) -> Iterator[RawFinding]:
    for dangling_value in app_template.dangling(release):
        place, inside = release.place(*dangling_value.path)
        yield RawFinding(
            place,
            dangling_value.message,
            note=f"write {choice_of(dangling_value.known)}" if dangling_value.known else None,
            key=dangling_value.key,
            inside=inside,
        )
