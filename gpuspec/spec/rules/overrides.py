"""Rules for overrides: each changes something. Rendering checks whether its object exists."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.violation import SpecViolation


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the overrides."""
    for index, override in enumerate(spec.overrides):
        if not override.patch:
            path = ("spec", "overrides", index, "patch")
            yield SpecViolation("the override changes nothing", path, "delete it")
