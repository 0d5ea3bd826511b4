"""A field that Argo CD does not compare, and writes all the same."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.applications import (
    IgnoredField,
    application_of,
    hidden,
    writes_hidden,
)
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU869",
    "written-though-ignored",
    "warning",
    "Argo CD ignores a field's differences but overwrites the field at each sync",
    fix="unsafe",
)
_OPTION = "RespectIgnoreDifferences=true"
_LONGEST = 30


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects that set a field which their Application ignores in comparisons."""
    owner = pod.object
    app = application_of(owner, context.collection) if is_first(pod) else None
    if app is None or not writes_hidden(app):
        return
    for ignored_field in hidden(owner, app):
        yield _found(owner, app, ignored_field)


def _found(owner: Object, app: Object, ignored_field: IgnoredField) -> RawFinding:
    field = ".".join(map(str, ignored_field.field))
    plain = (
        isinstance(ignored_field.value, str | int | float)
        and len(str(ignored_field.value)) <= _LONGEST
    )
    field_text = f"`{field}: {ignored_field.value}`" if plain else f"`{field}`"
    options = app.path("spec", "syncPolicy", "syncOptions")
    sync_options = mapping(app.spec.get("syncPolicy")).get("syncOptions")
    change = (
        Put((*options, len(items(sync_options))), _OPTION)
        if isinstance(sync_options, list)
        else Put(options, [_OPTION])
    )
    return RawFinding(
        app.path(*ignored_field.path),
        f"`ignoreDifferences` only hides that {field_text} of {owner.kind} `{owner.name}` "
        "differs: each automated sync still overwrites the live value",
        note=f"add `{_OPTION}` to `syncOptions`, which keeps the live value, or remove the field from "
        "the object",
        object=app.number,
        related=(
            RelatedPlace(
                owner.number, owner.path(*ignored_field.field), "overwritten at each sync"
            ),
        ),
        confidence="likely",
        fix=Fix("add `RespectIgnoreDifferences=true` to `syncOptions`", (change,)),
    )
