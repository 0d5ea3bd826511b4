"""The other objects that an object names, as everybody sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import kind_of, mappings_at
from gpuspec.kinds.references import CONTAINER, LABELS, POD
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.queues import labels_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.kinds.model import Reference
    from gpuspec.objects.objects import Object, Pod


class Ref(msgspec.Struct, frozen=True):
    """One name of another object, and where it is written."""

    group: str
    kind: str
    namespace: str
    """Empty for what is cluster-wide, and where it is left to who applies it."""
    name: str
    path: Path
    """From the document's root."""
    keys: tuple[tuple[str, Path], ...] = ()
    """The keys that are asked of its `data`, and where each is written."""
    optional: bool = False
    """Nothing fails where it is missing."""


Kinds = frozenset[tuple[str, str]]
"""Kinds, by group and name."""


def references_of(one: Object, kinds: Kinds) -> Iterator[Ref]:
    """What an object names, and its pods, of these kinds."""
    steps = labels_at(one)
    labels = mapping(at(one.value, steps))
    if labels:
        yield from _named(labels, one.path(*steps), LABELS, kinds, one.namespace)
    yield from _named(one.value, one.base, one.traits.refers, kinds, one.namespace)
    for pod in one.pods:
        yield from references_in(pod, kinds)


def references_in(pod: Pod, kinds: Kinds) -> Iterator[Ref]:
    """What a pod names, of these kinds."""
    namespace = pod.object.namespace
    yield from _named(pod.spec, pod.base, POD, kinds, namespace)
    for each in pod.every:
        yield from _named(each.value, each.path(), CONTAINER, kinds, namespace)


def _named(
    value: dict[str, Any], base: Path, rows: Iterable[Reference], kinds: Kinds, namespace: str
) -> Iterator[Ref]:
    for row in rows:
        if not row.kind_at and (row.group, row.kind) not in kinds:
            # Most sets have few of the kinds that can be named: to look costs more than to know.
            continue
        for path, holder in mappings_at(value, (row.holder,)):
            group, kind = _meant(row, holder)
            if (group, kind) not in kinds:
                continue
            known = kind_of(group, kind)
            where = text(holder.get(row.namespace_at)) or namespace
            if known is not None and not known.namespaced:
                where = ""
            keys = tuple(_keys(row, holder, (*base, *path)))
            optional = row.optional or holder.get("optional") is True
            for inside, name in _names(row.field, holder):
                yield Ref(group, kind, where, name, (*base, *path, *inside), keys, optional)


def _meant(row: Reference, holder: dict[str, Any]) -> tuple[str, str]:
    """Group and kind of what is named."""
    kind = text(holder.get(row.kind_at)) or row.kind if row.kind_at else row.kind
    group = holder.get(row.group_at) if row.group_at else None
    if not isinstance(group, str):
        return row.group, kind
    return group.rpartition("/")[0] if row.group_at == "apiVersion" else group, kind


def _names(field: str, holder: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    found = holder.get(field)
    if isinstance(found, list):
        for index, name in enumerate(found):
            if isinstance(name, str) and name:
                yield (field, index), name
    elif isinstance(found, str) and found:
        yield (field,), found


def _keys(row: Reference, holder: dict[str, Any], base: Path) -> Iterator[tuple[str, Path]]:
    if not row.keys:
        return
    outer, _, field = row.keys.rpartition(".")
    for path, inside in mappings_at(holder, (outer,)):
        key = inside.get(field)
        if isinstance(key, str) and key:
            yield key, (*base, *path, field)
