"""Rules of the cluster profile."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.manifests import Path, dns_label, label_key, label_value
from gpuspec.spec.profile import ClusterProfile, NodeCount, Pool
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.rules.common import labels


def profile_problems(profile: ClusterProfile) -> Iterator[Broken]:
    """All broken rules of a profile, in no particular order."""
    if reason := dns_label(profile.metadata.name):
        yield Broken(f"`metadata.name`: {reason}", ("metadata", "name"))
    names: set[str] = set()
    for index, pool in enumerate(profile.spec.pools):
        path: Path = ("spec", "pools", index)
        if pool.name in names:
            yield Broken(f"a second pool `{pool.name}`", (*path, "name"))
        names.add(pool.name)
        yield from _pool(pool, path)


def _pool(pool: Pool, path: Path) -> Iterator[Broken]:
    found = hardware.find(pool.gpu.model)
    where = (*path, "gpu", "model")
    if not found:
        close = ", ".join(hardware.suggest(pool.gpu.model))
        hint = f"did you mean {close}?" if close else None
        yield Broken(f'"{pool.gpu.model}" is no GPU model we know', where, hint)
    elif len(found) > 1:
        choices = ", ".join(model.name for model in found)
        yield Broken(f'"{pool.gpu.model}" can mean {choices}', where, "a pool has one model")
    yield from labels(pool.labels, (*path, "labels"))
    for index, taint in enumerate(pool.taints):
        if reason := label_key(taint.key) or label_value(taint.value):
            yield Broken(f"taint `{taint.key}`: {reason}", (*path, "taints", index))
    yield from _sizes(pool, path)


def _sizes(pool: Pool, path: Path) -> Iterator[Broken]:
    if pool.allocatable is not None:
        for name in ("cpu", "memory", "ephemeral_storage"):
            have, taken = getattr(pool.allocatable, name), getattr(pool.reserved, name)
            if have is not None and taken.value >= have.value:
                yield Broken(
                    f"reserved {name.replace('_', ' ')} {taken} leaves nothing of {have}",
                    (*path, "reserved"),
                )
    if isinstance(pool.nodes, NodeCount) and pool.nodes.min > pool.nodes.max:
        yield Broken(f"min {pool.nodes.min} is above max {pool.nodes.max}", (*path, "nodes", "min"))
