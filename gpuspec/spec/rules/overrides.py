"""Overrides: with something to change. Which objects there are to change, rendering says."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.broken import Broken


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of the overrides."""
    for index, override in enumerate(spec.overrides):
        if not override.patch:
            path = ("spec", "overrides", index, "patch")
            yield Broken("the override changes nothing", path, "delete it")
