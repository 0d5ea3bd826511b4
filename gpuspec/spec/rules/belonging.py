"""Clusters that a spec names."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.broken import Broken
from gpuspec.spec.words import shown

_NAMES = ("spec", "clusters", "names")


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of `clusters`."""
    names = spec.clusters.names
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Broken(f"{shown(name)} is listed twice", (*_NAMES, index))
