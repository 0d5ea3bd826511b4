"""Rules for the clusters that a spec names."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

_NAMES = ("spec", "clusters", "names")


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for `clusters`."""
    names = spec.clusters.names
    for index, name in enumerate(names):
        if name in names[:index]:
            yield SpecViolation(f"{shown(name)} is listed twice", (*_NAMES, index))
