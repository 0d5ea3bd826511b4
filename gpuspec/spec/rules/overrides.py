"""Overrides: with something to change. Which objects there are to change, rendering says."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.violation import SpecViolation


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield what breaks the rules of the overrides."""
    for index, override in enumerate(spec.overrides):
        if not override.patch:
            path = ("spec", "overrides", index, "patch")
            yield SpecViolation("the override changes nothing", path, "delete it")
