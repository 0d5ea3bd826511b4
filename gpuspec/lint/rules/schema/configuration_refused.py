"""A program's configuration file, in a ConfigMap, that the program cannot read or reads in part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.schema import field
from gpuspec.lint.analysis.sharing.sharing import written_in
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.validation import configurations

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.validation import SchemaViolation
    from gpuspec.validation.configurations import ProgramConfiguration

RULE = Rule(
    "GPU018",
    "configuration-refused",
    "error",
    "A program cannot read its configuration file, or ignores part of it",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield texts of ConfigMaps that are told by their keys, against what their program decodes."""
    for key, value in written_in(obj, *configurations.words()):
        known = configurations.told_by(value)
        if known is None:
            continue
        for wrong in configurations.violations(known, value):
            if placeholder(at(value, wrong.path)) is None:
                yield _found(obj.path("data", key), known, wrong)


def _found(
    path: Path, program_configuration: ProgramConfiguration, wrong: SchemaViolation
) -> RawFinding:
    key = wrong.reason == "unknown-field"
    named = key or wrong.reason == "missing-field"
    message = wrong.message if named else f"{field(wrong.path)}: {wrong.message}"
    ignored = program_configuration.unknown if key else ""
    return RawFinding(
        path,
        f"{message}: {ignored or program_configuration.then}",
        note=wrong.hint,
        key=key,
        severity="warning" if ignored else None,
        inside=wrong.path,
    )
