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
from gpuspec.lint.model import Fix, Put, RawFinding, Related, Rule
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


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield references with a group, a kind and a namespace, written or by default."""
    for row in one.traits.refers:
        # A route may join a gateway of any namespace: the gateway's listeners say of which.
        if row.namespace_at != "namespace" or row.holder.endswith("parentRefs.*"):
            continue
        for path, holder in mappings_at(one.value, (row.holder,)):
            named = _named(row, holder, (*one.base, *path), one)
            if named is not None:
                yield from _judge(named, one, context.collection)


class _Name(msgspec.Struct, frozen=True):
    """A name of another object."""

    row: Reference
    written: dict[str, Any]
    group: str
    kind: str
    namespace: str
    name: str
    path: Path
    """What holds it, from the document's root."""


def _named(row: Reference, holder: dict[str, Any], path: Path, one: Object) -> _Name | None:
    group, kind = text(holder.get("group")) or row.group, text(holder.get("kind")) or row.kind
    namespace, name = text(holder.get("namespace")) or one.namespace, text(holder.get("name"))
    if not name or not kind or any(map(blank_name, (group, kind, namespace, name))):
        return None
    return _Name(row, holder, group, kind, namespace, name, path)


def _judge(named: _Name, one: Object, collection: Collection) -> Iterator[RawFinding]:
    if named.row.kind == "Service" and not named.group:
        found = (
            _means_a_service(named, one, collection)
            if named.kind == "Service"
            else _without_group(named, one, collection)
        )
        if found is not None:
            yield found
            return
    yield from _elsewhere(named, one, collection)


def _without_group(named: _Name, one: Object, collection: Collection) -> RawFinding | None:
    """Return a kind of another group than the core one, in which it is looked for."""
    known = POOL_GROUPS if named.kind == _POOL else _groups().get(named.kind, ())
    if not known or kind_of("", named.kind) is not None:
        return None
    there = [group for group in known if collection.of(group, named.kind)]
    meant = there or list(known)
    right = meant[0] if len(meant) == 1 or named.kind == _POOL else None
    put = None if right is None else Put((*named.path, "group"), right)
    return RawFinding(
        (*named.path, "kind"),
        f"without a group {named.kind} is looked up in the core group, which has no "
        f"such kind: the reference is not resolved, and {_then(named, one)}",
        fix=None if put is None else Fix(f"say `group: {right}`", (put,)),
    )


def _means_a_service(named: _Name, one: Object, collection: Collection) -> RawFinding | None:
    """Return a name of an InferencePool alone."""
    if "kind" in named.written or collection.all_named("", "Service", named.name, named.namespace):
        return None
    for group in POOL_GROUPS:
        for pool in collection.all_named(group, _POOL, named.name, named.namespace):
            puts = (Put((*named.path, "group"), group), Put((*named.path, "kind"), _POOL))
            return RawFinding(
                (*named.path, "name"),
                f"without a kind `{named.name}` is taken for a Service, but here it is an "
                f"{_POOL}: the reference is not resolved, and {_then(named, one)}",
                severity="warning",
                confidence="likely",
                related=(Related(pool.number, pool.path("metadata", "name"), "this one"),),
                fix=Fix(f"set its kind to {_POOL}", puts),
            )
    return None


def _elsewhere(named: _Name, one: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield what is there in another namespace, which lets nobody name it."""
    if not one.namespace or named.namespace == one.namespace:
        return
    there = collection.all_named(named.group, named.kind, named.name, named.namespace)
    target = next((each for each in there if each.namespace == named.namespace), None)
    grants = collection.within(GATEWAY, "ReferenceGrant", named.namespace)
    if target is None or any(_permits(grant, named, one) for grant in grants):
        return
    yield RawFinding(
        (*named.path, "namespace"),
        f"no ReferenceGrant in namespace `{named.namespace}` here allows an {one.kind} "
        f"of namespace `{one.namespace}` to reference its {named.kind} `{named.name}`: "
        f"without one {_then(named, one)}",
        severity="warning",
        confidence="likely",
        related=(Related(target.number, target.path("metadata", "name"), "what it names"),),
    )


def _permits(grant: Object, named: _Name, one: Object) -> bool:
    """Return whether a grant is for such names, or may be."""
    asked = {"group": GATEWAY, "kind": one.kind, "namespace": one.namespace}
    sought = {"group": named.group, "kind": named.kind, "name": named.name}
    return _has(grant, "from", asked) and _has(grant, "to", sought)


def _has(grant: Object, field: str, wanted: dict[str, str]) -> bool:
    """Return whether an entry says all this, where it says anything."""
    return any(
        all(
            key not in entry or blank_name(entry[key]) or entry[key] == wanted[key]
            for key in wanted
        )
        for entry in map(mapping, items(grant.spec.get(field)))
    )


def _then(named: _Name, one: Object) -> str:
    """Return what comes of it."""
    if named.path[-2:-1] != ("backendRefs",):
        return "it has no effect" if one.kind != "Gateway" else "the listener does not serve"
    return "requests are answered 500" if one.kind == "HTTPRoute" else "requests fail"


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    """Return the groups that have a kind of a name."""
    found: dict[str, tuple[str, ...]] = {}
    for kind in kinds():
        found[kind.name] = (*found.get(kind.name, ()), kind.group)
    return found
