"""Pools, zones and regions that a spec names."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.words import shown

_PATH = ("spec", "place")


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of `place`."""
    asked = spec.place
    for field in ("pools", "prefer", "never", "zones", "regions"):
        names: tuple[str, ...] = getattr(asked, field)
        for index, name in enumerate(names):
            if name in names[:index]:
                yield Broken(f"{shown(name)} is listed twice", (*_PATH, field, index))
    for index, name in enumerate(asked.never):
        for field in ("pools", "prefer"):
            if name in getattr(asked, field):
                said = f"{shown(name)} is also in `{field}`"
                yield Broken(said, (*_PATH, "never", index), needs=((*_PATH, field),))
    for index, name in enumerate(asked.prefer if asked.pools else ()):
        if name not in asked.pools:
            said = f"{shown(name)} is not among `pools`, so it has no effect"
            yield Broken(said, (*_PATH, "prefer", index), needs=((*_PATH, "pools"),))
