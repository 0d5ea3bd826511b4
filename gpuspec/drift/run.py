"""All that a profile, specs and manifests say, held against one dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cluster.platform import platform_objects
from gpuspec.drift.held import TEMPLATES
from gpuspec.drift.leftover import leftovers
from gpuspec.drift.model import Difference, Drift, Unseen
from gpuspec.drift.named import named, present, settings, unasked
from gpuspec.drift.objects import Said, ask, look
from gpuspec.drift.pools import pool_differences
from gpuspec.drift.running import strangers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.drift.dump import Dump
    from gpuspec.spec import Profile

_PODS = ("", "Pod")
_SLICES = ("resource.k8s.io", "ResourceSlice")


def drift(profile: Profile, said: Sequence[Said] | None, dump: Dump) -> Drift:
    """What of it differs. `said`: the objects of specs and manifests; None where none were given."""
    differences: list[Difference] = []
    unseen: list[Unseen] = []
    nodes = pools = 0
    if profile.spec.pools:
        if dump.inventory is None:
            names = tuple(pool.name for pool in profile.spec.pools)
            unseen.append(Unseen("Node", tuple(f"of pool {name}" for name in names), "nodes"))
        else:
            found, nodes = pool_differences(profile, dump.inventory)
            differences += found
            pools = len(profile.spec.pools)
    claimed = [pool for pool in profile.spec.pools if pool.gpu.dra is not None]
    if claimed and not dump.has(_SLICES):
        names = tuple(f"of pool {pool.name}" for pool in claimed)
        unseen.append(Unseen(_SLICES[1], names, ask(_SLICES)))
    objects, _ = platform_objects(profile)
    platform = [Said(one, "platform") for one in objects]
    looked = look((*platform, *(said or ())), dump)
    differences += looked.differences
    others = [*named(profile, {(one.kind, one.name) for one in platform})]
    seen = [one for one in others if dump.has(one.kind)]
    differences += (gone for one in seen if (gone := present(one, dump)) is not None)
    differences += settings(profile, dump)
    every = (*platform, *(said or ()))
    made = {(one.kind, one.namespace, one.name) for one in every}
    differences += leftovers(dump, made)
    unseen += _unseen((*looked.unseen, *(one for one in others if not dump.has(one.kind))))
    if (metrics := unasked(profile, dump)) is not None:
        unseen.append(Unseen("APIService", (), metrics))
    if said is not None:
        if dump.has(_PODS):
            owned = {(one.namespace or "default", one.kind[1], one.name) for one in every}
            workloads: dict[tuple[str, str], set[str]] = {}
            for one in said:
                if one.workload is not None:
                    workloads.setdefault(one.workload, set()).add(one.kind[1])
            unasked_for = strangers(dump, owned, workloads)
            differences += unasked_for.differences
            if unasked_for.templates and not dump.has(TEMPLATES):
                unseen = _with_templates(unseen, unasked_for.templates)
        else:
            unseen.append(Unseen("Pod", (), "pods"))
    return Drift(
        profile.name,
        dump.name,
        tuple(differences),
        tuple(unseen),
        pools,
        nodes,
        looked.count + len(seen),
        looked.notes,
    )


def _with_templates(unseen: Sequence[Unseen], names: tuple[str, ...]) -> list[Unseen]:
    """With the templates of which pods have claims, in one row with those that are said."""
    _, kind = TEMPLATES
    rows = [row for row in unseen if row.kind == kind]
    every = {*names, *(name for row in rows for name in row.names)}
    return [
        *(row for row in unseen if row not in rows),
        Unseen(kind, tuple(sorted(every)), ask(TEMPLATES)),
    ]


def _unseen(said: Iterable[Said]) -> list[Unseen]:
    """Each kind once, with those of its objects that should be there."""
    rows = [*said]
    kinds = {one.kind for one in rows}
    return [
        Unseen(kind[1], tuple(one.called for one in rows if one.kind == kind), ask(kind))
        for kind in sorted(kinds)
    ]
