"""A default that the API server writes into a list, which Argo CD shows as out of sync."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.gangs.jobs import synced_by
from gpuspec.lint.analysis.serving.applications import (
    application_of,
    applies_on_server,
    asks_server,
    heals,
    ignored,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Object
from gpuspec.validation.defaults import filled_in_lists

RULE = Rule(
    "GPU788",
    "default-in-list",
    "warning",
    "The API server fills in a list item's default, so Argo CD reports the object as out of sync",
    fix="safe",
)
_SHOWN = 4


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects of custom kinds that Argo CD syncs and compares by itself: it knows no defaults
    of theirs."""
    app = application_of(obj, context.collection)
    if (app is None and synced_by(obj) != "Argo CD") or asks_server(obj, app):
        return
    missing = [
        ((*obj.base, *path), default)
        for path, default in filled_in_lists(obj.api_version, obj.kind, obj.value)
        if app is None or not ignored(obj, _field(path), app)
    ]
    if not missing:
        return
    path = missing[0][0]
    by_owners = applies_on_server(obj, app)
    is_healed = app is not None and heals(app) and not by_owners
    then = "syncs the object repeatedly" if is_healed else "shows the object as out of sync"
    fields = listed(dict.fromkeys(f"`{each[-1]}`" for each, _ in missing if each[:-2] == path[:-2]))
    yield RawFinding(
        path,
        f"items of `{_list(path)}` lack {fields}, whose defaults the API server adds: Argo CD "
        f"compares the whole list, and {then}",
        note=_note(missing),
        severity=None if is_healed else "info",
        confidence="possible" if by_owners else "likely",
        fix=Fix(
            "write each as the server stores it",
            tuple(Put(*default_put) for default_put in missing),
            safe=True,
        ),
        related=()
        if app is None
        else (
            RelatedPlace(
                app.number, app.path("metadata", "name"), "this Application syncs the object"
            ),
        ),
    )


def _note(missing: list[tuple[Path, object]]) -> str:
    """Return the defaults to write, each with its list, and how many are not shown."""
    wanted = dict.fromkeys(
        (_list(path), f"`{path[-1]}: {json.dumps(value)}`") for path, value in missing
    )
    shown, hidden = [*wanted][:_SHOWN], [*wanted][_SHOWN:]
    lists = dict.fromkeys(name for name, _ in shown)
    told = [f"{listed(text for each, text in shown if each == name)} in `{name}`" for name in lists]
    if hidden:
        others = listed(dict.fromkeys(f"`{name}`" for name, _ in hidden))
        told.append(f"{len(hidden)} more in {others}")
    return f"write {', '.join(told)}"


def _list(path: Path) -> str:
    """Return the list that an item belongs to: `rules[].backendRefs`."""
    steps = ["[]" if isinstance(step, int) else f".{step}" for step in path[:-2]]
    return "".join(steps).removeprefix(".").removeprefix("spec.")


def _field(path: Path) -> str:
    return ".".join("*" if isinstance(step, int) else step for step in path)
