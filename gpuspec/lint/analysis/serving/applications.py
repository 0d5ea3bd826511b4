"""Argo CD's Applications: the one that syncs an object, and the fields that it ignores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.numbers import is_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

_COMPARES, _BY_SERVER = "argocd.argoproj.io/compare-options", "ServerSideDiff=true"
_SPARING = {"RespectIgnoreDifferences=true", "ApplyOutOfSyncOnly=true"}
"""Sync options with which fields stay unchanged, or objects without other differences."""
_PLAIN = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]*)+")
_SYNCS, _ON_SERVER = "argocd.argoproj.io/sync-options", "ServerSideApply=true"


def application_of(obj: Object, collection: Collection) -> Object | None:
    """Return the Application of the run that syncs an object's namespace, or None."""
    by_namespace = collection.once(_applications)
    return by_namespace.get(obj.namespace) if obj.namespace else None


def _applications(collection: Collection) -> dict[str, Object]:
    return {
        text(mapping(obj.spec.get("destination")).get("namespace")): obj
        for obj in collection.of("argoproj.io", "Application")
    }


def asks_server(obj: Object, app: Object | None) -> bool:
    """Return whether Argo CD computes differences by a server-side dry run."""
    return any(
        _BY_SERVER in str(annotated.annotations.get(_COMPARES))
        for annotated in (obj, app)
        if annotated is not None
    )


def applies_on_server(obj: Object, app: Object | None) -> bool:
    """Return whether Argo CD uses server-side apply, and compares by field owners."""
    policy = mapping(app.spec.get("syncPolicy")) if app is not None else {}
    sync_options = (*items(policy.get("syncOptions")), obj.annotations.get(_SYNCS))
    return any(_ON_SERVER in str(sync_option) for sync_option in sync_options)


def heals(app: Object) -> bool:
    """Return whether it reverts differences from Git at once."""
    automated = mapping(mapping(app.spec.get("syncPolicy")).get("automated"))
    return automated.get("selfHeal") is True


def expression(field: str) -> str:
    """Return a field's pattern in jq's syntax: `.spec.workerGroupSpecs[].replicas`."""
    return "." + field.replace(".*", "[]")


def ignored(obj: Object, field: str, app: Object) -> bool:
    """Return whether an Application ignores a field of an object that a controller sets."""
    steps = [step for step in field.split(".") if step != "*"]
    return any(
        _matches(row, obj)
        and (bool(items(row.get("managedFieldsManagers"))) or _covers(row, steps))
        for row in map(mapping, items(app.spec.get("ignoreDifferences")))
    )


class IgnoredField(msgspec.Struct, frozen=True):
    """A field that an Application ignores in comparisons, and the object sets."""

    path: Path
    """The path of the entry in the Application."""
    field: Path
    """The path in the object."""
    value: object


def hidden(obj: Object, app: Object) -> Iterator[IgnoredField]:
    """Yield the fields that an object sets and an Application ignores in comparisons."""
    for index, row in enumerate(map(mapping, items(app.spec.get("ignoreDifferences")))):
        if not _matches(row, obj):
            continue
        for place in ("jsonPointers", "jqPathExpressions"):
            for number, field in enumerate(items(row.get(place))):
                field_path = text(field)
                if place == "jsonPointers":
                    steps = [_unescaped(step) for step in field_path.split("/")[1:]]
                else:
                    steps = field_path.split(".")[1:] if _PLAIN.fullmatch(field_path) else []
                value = at(obj.value, tuple(steps)) if steps else None
                if value is not None:
                    path = ("spec", "ignoreDifferences", index, place, number)
                    yield IgnoredField(path, tuple(steps), value)


def writes_hidden(app: Object) -> bool:
    """Return whether its own syncs write the whole object, with the ignored fields."""
    policy = mapping(app.spec.get("syncPolicy"))
    automated = policy.get("automated")
    if not isinstance(automated, dict) or automated.get("enabled") is False:
        return False
    options = [
        str(sync_option).replace(" ", "") for sync_option in items(policy.get("syncOptions"))
    ]
    return not _SPARING.intersection(options)


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _matches(row: dict[str, Any], obj: Object) -> bool:
    return (
        text(row.get("group")) in ("*", obj.group)
        and text(row.get("kind")) in ("*", obj.kind)
        and text(row.get("name")) in ("", obj.name)
        and text(row.get("namespace")) in ("", obj.namespace)
    )


def _covers(row: dict[str, Any], steps: list[str]) -> bool:
    pointers = (
        text(json_pointer).split("/")[1:] for json_pointer in items(row.get("jsonPointers"))
    )
    paths = (
        _steps(text(jq_path_expression))
        for jq_path_expression in items(row.get("jqPathExpressions"))
    )
    patterns = (
        [step for step in pointer if not is_digits(step)] for pointer in (*pointers, *paths)
    )
    return any(pattern and pattern == steps[: len(pattern)] for pattern in patterns)


def _steps(jq: str) -> list[str]:
    """Return the keys in a jq path, without indexes and conditions."""
    path = re.sub(r"\[[^]]*\]|\?|\s", "", jq.rpartition("|")[2])
    return path.split(".")[1:]
