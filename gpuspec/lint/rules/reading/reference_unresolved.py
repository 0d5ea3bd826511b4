"""A name in a route or a gateway that leads to an object, and is not resolved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from gpuspec.kinds import kind_of, kinds, mappings_at
from gpuspec.kinds.model import Reference
from gpuspec.kinds.references import GATEWAY
from gpuspec.lint.analysis.serving.selecting import POOL_GROUPS
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU028",
    "reference-unresolved",
    "error",
    "A route or gateway references an object that the gateway cannot resolve",
    fix="unsafe",
)
_POOL = "InferencePool"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield references with a group, a kind and a namespace, written or by default."""
    for row in obj.traits.refers:
        # A route may join a gateway of any namespace: the gateway's listeners say of which.
        if row.namespace_at != "namespace" or row.holder.endswith("parentRefs.*"):
            continue
        for path, holder in mappings_at(obj.value, (row.holder,)):
            name = _named(row, holder, (*obj.base, *path), obj)
            if name is not None:
                yield from _judge(name, obj, context.collection)


class _Name(msgspec.Struct, frozen=True):
    """A name of another object."""

    row: Reference
    written: dict[str, Any]
    group: str
    kind: str
    namespace: str
    name: str
    path: Path
    """The path of the reference, from the document's root."""


def _named(row: Reference, holder: dict[str, Any], path: Path, obj: Object) -> _Name | None:
    group, kind = text(holder.get("group")) or row.group, text(holder.get("kind")) or row.kind
    namespace, name = text(holder.get("namespace")) or obj.namespace, text(holder.get("name"))
    if not name or not kind or any(map(blank_name, (group, kind, namespace, name))):
        return None
    return _Name(row, holder, group, kind, namespace, name, path)


def _judge(name: _Name, obj: Object, collection: Collection) -> Iterator[RawFinding]:
    if name.row.kind == "Service" and not name.group:
        finding = (
            _means_a_service(name, obj, collection)
            if name.kind == "Service"
            else _without_group(name, obj, collection)
        )
        if finding is not None:
            yield finding
            return
    yield from _elsewhere(name, obj, collection)
    yield from _of_other_group(name, obj, collection)


def _of_other_group(name: _Name, obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield a pool of the other of its two groups: a gateway looks into the one that is written."""
    others = [group for group in POOL_GROUPS if group != name.group]
    if name.kind != _POOL or name.group not in POOL_GROUPS:
        return
    if collection.all_named(name.group, _POOL, name.name, name.namespace):
        return
    for group in others:
        for pool in collection.all_named(group, _POOL, name.name, name.namespace):
            yield RawFinding(
                (*name.path, "group"),
                f"{_POOL} `{name.name}` is of group `{group}`, not `{name.group}`: the gateway "
                f"cannot resolve the reference, and {_then(name, obj)}",
                severity="warning",
                confidence="likely",
                related=(RelatedPlace(pool.number, pool.path("metadata", "name"), "this one"),),
                fix=Fix(f"write `group: {group}`", (Put((*name.path, "group"), group),)),
            )
            return


def _without_group(name: _Name, obj: Object, collection: Collection) -> RawFinding | None:
    """Return a kind of another group than the core one, in which it is looked for."""
    known_groups = POOL_GROUPS if name.kind == _POOL else _groups().get(name.kind, ())
    if not known_groups or kind_of("", name.kind) is not None:
        return None
    groups_here = [group for group in known_groups if collection.of(group, name.kind)]
    candidates = groups_here or list(known_groups)
    right = candidates[0] if len(candidates) == 1 or name.kind == _POOL else None
    group_put = None if right is None else Put((*name.path, "group"), right)
    return RawFinding(
        (*name.path, "kind"),
        f"the reference has no `group`, and the core group has no {name.kind}: the gateway "
        f"cannot resolve the reference, and {_then(name, obj)}",
        fix=None if group_put is None else Fix(f"write `group: {right}`", (group_put,)),
    )


def _means_a_service(name: _Name, obj: Object, collection: Collection) -> RawFinding | None:
    """Return a name of an InferencePool alone."""
    if "kind" in name.written or collection.all_named("", "Service", name.name, name.namespace):
        return None
    for group in POOL_GROUPS:
        for pool in collection.all_named(group, _POOL, name.name, name.namespace):
            puts = (Put((*name.path, "group"), group), Put((*name.path, "kind"), _POOL))
            return RawFinding(
                (*name.path, "name"),
                f"the reference has no `kind`, so `{name.name}` is taken for a Service, but in these files "
                f"it is an {_POOL}: the gateway cannot resolve the reference, and "
                f"{_then(name, obj)}",
                severity="warning",
                confidence="likely",
                related=(RelatedPlace(pool.number, pool.path("metadata", "name"), "this object"),),
                fix=Fix(f"write `kind: {_POOL}`", puts),
            )
    return None


def _elsewhere(name: _Name, obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield targets in another namespace that no grant allows."""
    if not obj.namespace or name.namespace == obj.namespace:
        return
    objects = collection.all_named(name.group, name.kind, name.name, name.namespace)
    target = next((namesake for namesake in objects if namesake.namespace == name.namespace), None)
    grants = collection.within(GATEWAY, "ReferenceGrant", name.namespace)
    if target is None or any(_permits(grant, name, obj) for grant in grants):
        return
    yield RawFinding(
        (*name.path, "namespace"),
        f"no ReferenceGrant in namespace `{name.namespace}` of these files allows an {obj.kind} of "
        f"namespace `{obj.namespace}` to reference {name.kind} `{name.name}`: {_then(name, obj)}",
        note=f"create a ReferenceGrant in namespace `{name.namespace}`",
        severity="warning",
        confidence="likely",
        related=(
            RelatedPlace(target.number, target.path("metadata", "name"), "the referenced object"),
        ),
    )


def _permits(grant: Object, name: _Name, obj: Object) -> bool:
    """Return whether a grant is for such names, or may be."""
    origin = {"group": GATEWAY, "kind": obj.kind, "namespace": obj.namespace}
    sought = {"group": name.group, "kind": name.kind, "name": name.name}
    return _has(grant, "from", origin) and _has(grant, "to", sought)


def _has(grant: Object, field: str, identity: dict[str, str]) -> bool:
    """Return whether the set fields of a grant's entry match."""
    return any(
        all(
            key not in entry or blank_name(entry[key]) or entry[key] == identity[key]
            for key in identity
        )
        for entry in map(mapping, items(grant.spec.get(field)))
    )


def _then(name: _Name, obj: Object) -> str:
    """Return the consequence."""
    if name.path[-2:-1] != ("backendRefs",):
        return "it has no effect" if obj.kind != "Gateway" else "the listener does not serve"
    return "requests get status 500" if obj.kind == "HTTPRoute" else "requests fail"


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    """Return the groups that have a kind of a name."""
    groups: dict[str, tuple[str, ...]] = {}
    for kind in kinds():
        groups[kind.name] = (*groups.get(kind.name, ()), kind.group)
    return groups
