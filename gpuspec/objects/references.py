"""References: the names of other objects in an object."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import kind_of, mappings_at
from gpuspec.kinds.references import CONTAINER, KUEUE, LABELS, POD, RESOURCE
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.kinds.model import Reference
    from gpuspec.objects.objects import Object, Pod


class Ref(msgspec.Struct, frozen=True):
    """A reference to another object, with its path."""

    group: str
    kind: str
    namespace: str
    """Empty for a cluster-wide kind, and if the namespace is not set."""
    name: str
    path: Path
    """From the document's root."""
    keys: tuple[tuple[str, Path], ...] = ()
    """The keys of the object that are used, such as keys of `data`, with their paths."""
    optional: bool = False
    """Whether the object may be missing."""
    others: tuple[str, ...] = ()
    """Further kinds of the group that it may have."""
    inside: bool = False
    """Whether the text at the path contains more than the name."""


Kinds = Container[tuple[str, str]]
"""Kinds, by group and name."""


def labels_at(obj: Object) -> Path:
    """Return the paths, from the object's root, of the labels that Kueue reads on an object or on
    what it creates."""
    return obj.traits.labels


def references_of(obj: Object, kinds: Kinds) -> Iterator[Ref]:
    """Yield the references of an object and its pods to these kinds."""
    steps = labels_at(obj)
    labels = mapping(at(obj.value, steps))
    if labels:
        yield from _named(labels, obj.path(*steps), LABELS, kinds, obj.namespace)
    yield from _named(obj.value, obj.base, obj.traits.refers, kinds, obj.namespace)
    for pod in obj.pods:
        yield from references_in(pod, kinds)


def references_in(pod: Pod, kinds: Kinds) -> Iterator[Ref]:
    """Yield the references of a pod to these kinds."""
    namespace = pod.object.namespace
    for pod_ref in _named(pod.spec, pod.base, POD, kinds, namespace):
        ref = pod_ref
        if pod.object.traits.elsewhere is not None:
            path = pod.path(*ref.path[len(pod.base) :])
            ref = msgspec.structs.replace(ref, path=path)
        if ref.group == RESOURCE:
            yield msgspec.structs.replace(ref, keys=tuple(_requests(pod, ref.path)))
        else:
            yield ref
    for container in pod.every:
        yield from _named(container.value, container.path(), CONTAINER, kinds, namespace)


HELD = frozenset(
    {
        ("", "PersistentVolumeClaim"),
        (RESOURCE, "ResourceClaim"),
        (RESOURCE, "ResourceClaimTemplate"),
        (KUEUE, "LocalQueue"),
    }
)
"""The kinds of objects that pods mount or wait for."""


@kept
def held_by(obj: Object) -> frozenset[tuple[str, str]]:
    """Return the kind and name of the objects that an object's pods mount or wait for."""
    return frozenset((ref.kind, ref.name) for ref in references_of(obj, HELD))


def made_by(obj: Object) -> Iterator[Ref]:
    """Return the objects that an object's controller creates under names from the object."""
    rows = obj.traits.makes
    kinds = {(row.group, row.kind) for row in rows}
    return _named(obj.value, obj.base, rows, kinds, obj.namespace)


def _named(
    value: dict[str, Any], base: Path, rows: Iterable[Reference], kinds: Kinds, namespace: str
) -> Iterator[Ref]:
    for row in rows:
        others = tuple(kind for kind in row.others if (row.group, kind) in kinds)
        if not row.kind_at and not others and (row.group, row.kind) not in kinds:
            # Most sets have few of the kinds that can be named: to look costs more than to know.
            continue
        for path, holder in mappings_at(value, (row.holder,)):
            group, kind = _meant(row, holder)
            if (group, kind) not in kinds:
                if not others:
                    continue
                # All the set has of what may be meant.
                kind = others[0]
            target_kind = kind_of(group, kind)
            where = text(holder.get(row.namespace_at)) or namespace
            if target_kind is not None and not target_kind.namespaced:
                where = ""
            keys = tuple(_keys(row, holder, (*base, *path)))
            optional = row.optional or holder.get("optional") is True
            for inside, name in _names(row, holder):
                at = (*base, *path, *inside)
                yield Ref(group, kind, where, name, at, keys, optional, others, bool(row.scheme))


def _requests(pod: Pod, path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the requests of a claim that containers name; `path` is that of the pod's claim."""
    name = mapping(at(pod.spec, path[len(pod.base) : -1])).get("name")
    for container in pod.every:
        for index, use in enumerate(items(container.resources.get("claims"))):
            request = text(mapping(use).get("request"))
            if request and mapping(use).get("name") == name:
                # Behind a slash: one of several that would do.
                main = request.partition("/")[0]
                yield main, container.path("resources", "claims", index, "request")


def _meant(row: Reference, holder: dict[str, Any]) -> tuple[str, str]:
    """Return the group and kind of a reference."""
    kind = text(holder.get(row.kind_at)) or row.kind if row.kind_at else row.kind
    group = holder.get(row.group_at) if row.group_at else None
    if not isinstance(group, str):
        return row.group, kind
    return group.rpartition("/")[0] if row.group_at == "apiVersion" else group, kind


def _names(row: Reference, holder: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    field = row.field
    field_value = holder.get(field)
    if row.scheme:
        # Part of a text: whoever puts it right has to keep the rest.
        name = text(field_value).removeprefix(row.scheme).partition("/")[0]
        if name and text(field_value).startswith(row.scheme):
            yield (field,), name
        return
    if isinstance(field_value, list):
        for index, name in enumerate(field_value):
            if isinstance(name, str) and name:
                yield (field, index), name
    elif isinstance(field_value, str) and field_value:
        yield (field,), field_value + row.ending


def _keys(row: Reference, holder: dict[str, Any], base: Path) -> Iterator[tuple[str, Path]]:
    for key_pattern in row.keys:
        pattern, _, default = key_pattern.partition("=")
        outer, _, field = pattern.rpartition(".")
        for path, inside in mappings_at(holder, (outer,)):
            key = inside.get(field) or default
            if isinstance(key, str | int) and key and not isinstance(key, bool):
                yield str(key), (*base, *path, field)
