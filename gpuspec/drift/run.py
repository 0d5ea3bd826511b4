"""Compare a profile, specs and manifests with one dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cluster.platform import platform_objects
from gpuspec.drift.held_devices import CLAIMS, TEMPLATES
from gpuspec.drift.leftover import leftovers
from gpuspec.drift.model import Difference, Drift, Unseen
from gpuspec.drift.named import named, present, settings, unasked
from gpuspec.drift.objects import ExpectedObject, ask, look
from gpuspec.drift.pools import pool_differences
from gpuspec.drift.running import unexpected_workloads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gpuspec.drift.dump import Dump, Kind
    from gpuspec.spec import Pool, Profile

_PODS = ("", "Pod")
_SLICES = ("resource.k8s.io", "ResourceSlice")


def drift(profile: Profile, expected_objects: Sequence[ExpectedObject] | None, dump: Dump) -> Drift:
    """Return all differences.

    `expected_objects` are those of specs and manifests; None if there are none.
    """
    differences: list[Difference] = []
    unseen: list[Unseen] = []
    nodes = pools = 0
    if profile.spec.pools:
        if dump.inventory is None:
            unseen.append(Unseen("Node", _of_pools(profile.spec.pools), "nodes"))
        else:
            of_pools, nodes = pool_differences(profile, dump.inventory)
            differences += of_pools
            pools = len(profile.spec.pools)
    claimed = [pool for pool in profile.spec.pools if pool.gpu.dra is not None]
    if claimed and not dump.has(_SLICES):
        unseen.append(Unseen(_SLICES[1], _of_pools(claimed), ask(_SLICES)))
    platform = [
        ExpectedObject(platform_object, "platform")
        for platform_object in platform_objects(profile)[0]
    ]
    objects = (*platform, *(expected_objects or ()))
    compared = look(objects, dump)
    differences += compared.differences
    others = [*named(profile, {(obj.kind, obj.name) for obj in platform})]
    asked_for = [obj for obj in others if dump.has(obj.kind)]
    differences += (gone for obj in asked_for if (gone := present(obj, dump)) is not None)
    differences += settings(profile, dump)
    differences += leftovers(dump, {(obj.kind, obj.namespace, obj.name) for obj in objects})
    unseen += _unseen((*compared.unseen, *(obj for obj in others if not dump.has(obj.kind))))
    if (metrics := unasked(profile, dump)) is not None:
        unseen.append(Unseen("APIService", (), metrics))
    if expected_objects is not None:
        if dump.has(_PODS):
            owners = {(obj.namespace or "default", obj.kind[1], obj.name) for obj in objects}
            strange = unexpected_workloads(dump, owners, _workloads(expected_objects))
            differences += strange.differences
            for kind in (TEMPLATES, CLAIMS):
                names = {name for of, name in strange.lacking if of == kind}
                if names and not dump.has(kind):
                    unseen = _with(unseen, kind, names)
        else:
            unseen.append(Unseen("Pod", (), "pods"))
    return Drift(
        profile.name,
        dump.name,
        tuple(differences),
        tuple(unseen),
        pools,
        nodes,
        compared.count + len(asked_for),
        compared.notes,
    )


def _of_pools(pools: Iterable[Pool]) -> tuple[str, ...]:
    return tuple(f"of pool {pool.name}" for pool in pools)


def _workloads(expected_objects: Iterable[ExpectedObject]) -> dict[tuple[str, str], set[str]]:
    """Return the rendered kinds of each workload, by namespace and name."""
    kinds: dict[tuple[str, str], set[str]] = {}
    for expected_obj in expected_objects:
        if expected_obj.workload is not None:
            kinds.setdefault(expected_obj.workload, set()).add(expected_obj.kind[1])
    return kinds


def _with(unseen: Sequence[Unseen], kind: Kind, names: Collection[str]) -> list[Unseen]:
    """Add claims of pods, or their templates, to the rows of unseen kinds."""
    rows = [row for row in unseen if row.kind == kind[1]]
    every = {*names, *(name for row in rows for name in row.names)}
    return [
        *(row for row in unseen if row not in rows),
        Unseen(kind[1], tuple(sorted(every)), ask(kind)),
    ]


def _unseen(missing: Iterable[ExpectedObject]) -> list[Unseen]:
    """Return each unseen kind once, with its expected objects."""
    objects = [*missing]
    kinds = {obj.kind for obj in objects}
    return [
        Unseen(kind[1], tuple(obj.called for obj in objects if obj.kind == kind), ask(kind))
        for kind in sorted(kinds)
    ]
