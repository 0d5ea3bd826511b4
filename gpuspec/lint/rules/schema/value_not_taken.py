"""Values of a chart that are none of those it takes there."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.charts.model import KnownChart, ValueChoice
from gpuspec.charts.release import Release
from gpuspec.charts.tables import chart_of
from gpuspec.charts.values.judging import is_of_another, is_read
from gpuspec.enumeration import choice_of
from gpuspec.kinds import values_at
from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import format_path
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_version
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU835",
    "value-not-taken",
    "warning",
    "A chart value is not one that the chart or its program accepts",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check the releases of charts whose accepted values are known."""
    for release in releases_of(obj, context):
        chart = chart_of(release.chart)
        if chart is not None and not is_of_another(release, chart):
            yield from _no_texts(release, chart)
        for choice in () if chart is None else chart.choices:
            for path, value in values_at(release.values, choice.at):
                wrong = _wrong(value, choice)
                if wrong is not None:
                    place, inside = release.place(*path)
                    yield RawFinding(
                        place,
                        (
                            f"{release.chart} does not accept {wrong} for `{format_path(path)}`: "
                            f"{choice.then}"
                        ),
                        note=f"write {choice_of(map(_written, choice.of))}",
                        inside=inside,
                    )


def _no_texts(release: Release, chart: KnownChart) -> Iterator[RawFinding]:
    """Yield mappings and lists for values that the templates print as strings."""
    version = read_version(release.version)
    for closed in chart.mappings:
        if not closed.texts or not is_read(closed.span, version):
            continue
        for path, value in values_at(release.values, closed.at):
            for key, inner in mapping(value).items():
                if key in closed.texts and isinstance(inner, dict | list) and inner:
                    place, inside = release.place(*path, key)
                    kind = "map" if isinstance(inner, dict) else "list"
                    yield RawFinding(
                        place,
                        f"`{format_path((*path, key))}` of chart {release.chart} must be a text, not a "
                        f"{kind}: the templates print the value in one line, so the object is wrong or "
                        "refused",
                        note="write a text, a number or a boolean",
                        key=True,
                        confidence="likely",
                        inside=inside,
                    )


def _wrong(value: object, choice: ValueChoice) -> str | None:
    """Return the invalid part of a value, as written; None if it is valid."""
    if value is None or value in ("", 0, [], {}):
        return None
    if isinstance(value, str):
        words = value.split(",") if choice.separated else [value]
        wrong = [word for word in words if word.strip() not in choice.of]
        # A template, or a variable that Flux fills in.
        return f'"{wrong[0]}"' if wrong and not any(sign in value for sign in ("{", "$")) else None
    if isinstance(value, bool):
        return None if value in choice.of else _written(value)
    if isinstance(value, list):
        return "list"
    return "map" if isinstance(value, dict) else "number"


def _written(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()
