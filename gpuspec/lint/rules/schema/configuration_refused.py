"""A program's configuration file that the program cannot read, or reads in part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading import expander
from gpuspec.lint.analysis.reading.program_files import program_files
from gpuspec.lint.analysis.reading.program_relations import faults_of
from gpuspec.lint.analysis.reading.schema import fault, field
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.validation import configurations
from gpuspec.validation.violation import API_SERVER

if TYPE_CHECKING:
    from gpuspec.lint.analysis.reading.program_files import ProgramFile
    from gpuspec.validation import SchemaViolation

RULE = Rule(
    "GPU018",
    "configuration-refused",
    "error",
    "A program cannot read its configuration file, or ignores part of it",
)

_MOST_WORDS = 6
"""The most words that a message lists."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check embedded configuration files, recognised by their keys, against their program's types;
    and priorities of Cluster Autoscaler, recognised by their ConfigMap."""
    if expander.NAME in obj.name and obj.is_a("", "ConfigMap"):
        yield from expander.faults(obj)
    for file in program_files(obj, context):
        version = file.value.get("apiVersion")
        if isinstance(version, str) and version != version.lower():
            continue  # a script writes the version in its place
        every = configurations.violations(file.program, file.value)
        # The fields of another version are others.
        of_version = [wrong for wrong in every if wrong.path == ("apiVersion",)]
        for wrong in of_version or every:
            value = at(file.value, wrong.path)
            # Decoders take null for what is not written.
            is_null = value is None and wrong.reason == "wrong-type"
            if not is_null and placeholder(value) is None:
                yield _found(file, wrong)
        for file_fault in faults_of(file.program.title, file.value):
            place, inside = file.place(file_fault.path)
            yield RawFinding(
                place,
                file_fault.says,
                note=file_fault.note,
                severity=file_fault.severity,
                inside=inside,
            )


def _found(file: ProgramFile, wrong: SchemaViolation) -> RawFinding:
    program = file.program
    key = wrong.reason == "unknown-field"
    names_field = key or wrong.reason == "missing-field"
    message = wrong.message if names_field else fault(wrong.path, wrong.message)
    is_word = configurations.is_word(wrong)
    if is_word and (wrong.expected or "").count("`") > 2 * _MOST_WORDS:
        message = (
            f"{field(wrong.path)}: {program.title} does not know `{at(file.value, wrong.path)}`"
        )
    consequence = wrong.by if wrong.by != API_SERVER else ""
    ignored = program.unknown if key else program.open if is_word else consequence
    place, inside = file.place(wrong.path)
    return RawFinding(
        place,
        f"{message}: {ignored or program.then}",
        note=wrong.hint,
        key=key,
        severity="warning" if ignored and ignored != program.then else None,
        inside=inside,
    )
