"""A quantity in a form that an operator's webhook changes, which Argo CD shows as out of sync."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.kinds import mappings_at
from gpuspec.kinds.owned import Rewriter
from gpuspec.lint.analysis.gangs.jobs import synced_by
from gpuspec.lint.analysis.serving.applications import application_of, asks_server, heals, ignored
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path, Quantity
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import queue_of

RULE = Rule(
    "GPU518",
    "rewritten-quantity",
    "warning",
    "A webhook rewrites a quantity, so Argo CD reports the object as out of sync",
    fix="safe",
)
_ARGO = "Argo CD"
_QUOTAS = "spec.resourceGroups.*.flavors.*.resources.*"
_QUOTA_FIELDS = ("nominalQuota", "borrowingLimit", "lendingLimit")
_SHOWN = 4


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects that Argo CD syncs, of kinds whose webhook marshals them anew."""
    rewriter = obj.traits.rewriter
    if rewriter is None or (rewriter.queued and queue_of(obj) is None):
        return
    app = application_of(obj, context.collection)
    if (app is None and synced_by(obj) != _ARGO) or asks_server(obj, app):
        return
    changed = [
        (path, amount, form)
        for path, amount in _amounts(obj)
        if isinstance(amount, str | int | float) and not isinstance(amount, bool)
        if (form := _stored(amount)) is not None
        and not (app is not None and ignored(obj, _field(obj, path), app))
    ]
    for place, word, new, since in _words(obj, rewriter):
        if app is None or not ignored(obj, _field(obj, place), app):
            yield _renamed(rewriter, app, place, f"{_shown(word, new)} since {since}")
    if not changed:
        return
    (path, amount, form), *others = changed
    is_healed = app is not None and heals(app)
    then = "syncs the object repeatedly" if is_healed else "shows the object as out of sync"
    more = [_shown(other_amount, after) for _, other_amount, after in others[:_SHOWN]]
    yield RawFinding(
        path,
        f"the webhook of {rewriter.by} stores {_shown(amount, form)}, and {_ARGO} {then}",
        note=f"write other values as the webhook stores them as well: {', '.join(dict.fromkeys(more))}"
        if more
        else None,
        severity=None if is_healed else "info",
        confidence="likely",
        fix=Fix(
            f"write `{form}`"
            if len(changed) == 1
            else "write every value as the webhook stores it",
            tuple(Put(path, form) for path, _, form in changed),
            safe=True,
        ),
        related=_synced(app),
    )


def _words(obj: Object, rewriter: Rewriter) -> Iterator[tuple[Path, str, str, str]]:
    """Yield values that are stored differently: path, written and stored value, and the release
    since when."""
    for row in rewriter.words:
        field_value = at(obj.value, row.path)
        for word, stored in row.words:
            if field_value == word:
                yield obj.path(*row.path), word, stored, row.since


def _renamed(rewriter: Rewriter, app: Object | None, path: Path, stored: str) -> RawFinding:
    is_healed = app is not None and heals(app)
    then = "syncs the object repeatedly" if is_healed else "shows the object as out of sync"
    return RawFinding(
        path,
        f"the webhook of {rewriter.by} stores {stored}, and {_ARGO} {then}",
        note="write the new form: older releases do not know the word",
        severity=None if is_healed else "info",
        confidence="likely",
        related=_synced(app),
    )


def _synced(app: Object | None) -> tuple[RelatedPlace, ...]:
    if app is None:
        return ()
    return (RelatedPlace(app.number, app.path("metadata", "name"), "syncs the object"),)


def _amounts(obj: Object) -> Iterator[tuple[Path, object]]:
    """Yield where amounts are written, and how."""
    for pod in obj.pods:
        for container in pod.every:
            for field, amounts in (("limits", container.limits), ("requests", container.requests)):
                for name, amount in amounts.items():
                    yield container.path(container.resources_at, field, name), amount
        for index, volume in pod.volumes.values():
            size = mapping(volume.get("emptyDir")).get("sizeLimit")
            yield pod.path("volumes", index, "emptyDir", "sizeLimit"), size
    for path, holder in mappings_at(obj.value, (_QUOTAS,)):
        for field in _QUOTA_FIELDS:
            yield obj.path(*path, field), holder.get(field)


def _stored(amount: str | float) -> str | None:
    """Return the stored form of a quantity, if it differs from the written one."""
    try:
        form = str(Quantity.parse(amount))
    except ValueError:
        return None
    return None if form == amount else form


def _shown(amount: str | float, form: str) -> str:
    stored = form if isinstance(amount, str) else f'"{form}"'
    return f"`{amount}` as `{stored}`"


def _field(obj: Object, path: Path) -> str:
    return ".".join("*" if isinstance(step, int) else step for step in path[len(obj.base) :])
