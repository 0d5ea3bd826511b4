"""Values of a chart at a place, or for a part of it, that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.charts import app_template
from gpuspec.charts.model import Closed, Schema
from gpuspec.charts.objects import is_app_template
from gpuspec.charts.release import Release, releases
from gpuspec.charts.tables import schemas
from gpuspec.kinds import values_at
from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.placing import names
from gpuspec.lint.subjects.reading.names import near
from gpuspec.manifests import format_path
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU789",
    "misplaced-value",
    "warning",
    "A chart's values say something where the chart does not look, or of a part that is not there",
)
_SHOWN = 10


def check(one: Object, context: Context) -> Iterator[Found]:
    """Releases of charts of which some mappings are known in full."""
    for release in releases(one):
        name = app_template.NAME if is_app_template(release) else release.chart
        schema = schemas().get(name)
        if schema is None or (name == app_template.NAME and not is_app_template(release)):
            continue
        for closed in schema.mappings:
            yield from _strangers(release, name, closed, schema)
        if name == app_template.NAME and release.whole:
            yield from _dangling(release)


def _strangers(release: Release, chart: str, closed: Closed, schema: Schema) -> Iterator[Found]:
    for path, value in values_at(release.values, closed.at):
        if isinstance(value, list) and value:
            place, inside = release.place(*path)
            yield Found(
                place,
                f"`{format_path(path)}` of {chart} is a map, and the chart reads nothing of this list",
                note=f"its keys are {names(list(closed.keys))}",
                inside=inside,
            )
        strangers = [
            key
            for key, said in mapping(value).items()
            if key not in closed.keys and said is not None and _is_misplaced(key, closed, schema)
        ]
        if strangers:
            first = strangers[0]
            close, home = near(first, closed.keys), _home(first, schema)
            place, inside = release.place(*path, first)
            are = "are" if len(strangers) > 1 else "is"
            yield Found(
                place,
                f"{names(strangers)} {are} {closed.what} in {chart}: the chart refuses the values, or "
                "passes it over",
                note=f"`{close}` is one" if close else home,
                key=True,
                confidence="likely",
                inside=inside,
            )


def _is_misplaced(key: str, closed: Closed, schema: Schema) -> bool:
    """Whether a key is surely none of a mapping's: of a newer release not all keys are known."""
    known = near(key, closed.keys) is not None or _home(key, schema) is not None
    return known or _is_foreign(key)


def _home(key: str, schema: Schema) -> str | None:
    """Where a key belongs; None where no other mapping has it."""
    places = [each.at[-1] for each in schema.mappings if key in each.keys]
    return f"it belongs to `{places[0] or 'the top'}`" if places else None


def _is_foreign(key: str) -> bool:
    """Whether a key is a label's, an annotation's or a variable's."""
    return "/" in key or (key.isupper() and len(key) > 1)


def _dangling(release: Release) -> Iterator[Found]:
    for one in app_template.dangling(release):
        place, inside = release.place(*one.path)
        yield Found(
            place,
            one.message,
            note=f"there is {names(list(one.known[:_SHOWN]))}" if one.known else None,
            key=one.key,
            inside=inside,
        )
