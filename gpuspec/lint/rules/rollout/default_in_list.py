"""A default that the API server writes into a list, which Argo CD shows as out of sync."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import synced_by
from gpuspec.lint.analysis.serving.applications import (
    application_of,
    applies_on_server,
    asks_server,
    heals,
    ignored,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Related, Rule
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
_SHOWN = 3


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
    (path, default), *others = missing
    by_owners = applies_on_server(obj, app)
    is_healed = app is not None and heals(app) and not by_owners
    then = "syncs the object repeatedly" if is_healed else "shows the object as out of sync"
    more = dict.fromkeys(_said(each, value) for each, value in others)
    yield RawFinding(
        path,
        f"the API server adds {_said(path, default)} to each item that lacks it, and "
        f"Argo CD, which compares the list as a whole, {then}",
        note=f"write these defaults too: {', '.join([*more][:_SHOWN])}" if more else None,
        severity=None if is_healed else "info",
        confidence="possible" if by_owners else "likely",
        fix=Fix(
            "write each as the server stores it", tuple(Put(*each) for each in missing), safe=True
        ),
        related=()
        if app is None
        else (Related(app.number, app.path("metadata", "name"), "syncs the object"),),
    )


def _said(path: Path, default: object) -> str:
    return f"`{path[-1]}: {json.dumps(default)}`"


def _field(path: Path) -> str:
    return ".".join("*" if isinstance(step, int) else step for step in path)
