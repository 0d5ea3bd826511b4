"""The reporting policy: which findings are reported, with which severity."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Finding
from gpuspec.settings.config import FoundConfig as Configuration
from gpuspec.settings.severity import SEVERITIES, Severity

if TYPE_CHECKING:
    from gpuspec.lint.suppressions.baseline import BaselineEntry
    from gpuspec.lint.suppressions.fingerprint import Mark
    from gpuspec.settings.selection import RuleSelection


class Baseline(msgspec.Struct, frozen=True, dict=True):
    """The known findings."""

    file: str
    folder: str
    """The absolute path of its folder."""
    entries: tuple[BaselineEntry, ...]

    @cached_property
    def marks(self) -> set[Mark]:
        """The marks of its findings."""
        return {entry.mark for entry in self.entries}


class ReportingPolicy(msgspec.Struct, frozen=True, dict=True):
    """Which findings are reported, with which severity, from the configuration and the command
    line."""

    configuration: Configuration = Configuration()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Severity = "info"
    """Findings below this severity are not reported."""
    baseline: Baseline | None = None
    fixes: bool = True
    """Whether fixes are made, which takes longer than everything else."""

    def anywhere(self, code: str) -> bool:
        """Return whether a rule is selected for any file."""
        everywhere = self.selection
        return everywhere.wants(code) or any(
            everywhere.with_more(settings.select, settings.ignore).wants(code)
            for settings in self.configuration.config.per_path.values()
        )

    @cached_property
    def selection(self) -> RuleSelection:
        """The selection for files without one of their own."""
        return self.configuration.selection(self.select, self.ignore)

    def judged(self, finding: Finding) -> Finding | None:
        """Return the finding with its severity in its file; None if it is not selected there."""
        selection, severities = self.selection, self.configuration.config.severities
        if self.configuration.config.per_path:
            for path_settings in self.configuration.here(self._relative(finding.file)):
                selection = selection.with_more(path_settings.select, path_settings.ignore)
                severities = {**severities, **path_settings.severities}
        if not selection.wants(finding.rule):
            return None
        severity = severities.get(finding.rule)
        if severity is None or severity == finding.severity:
            return finding
        return msgspec.structs.replace(finding, severity=severity)

    def loud(self, finding: Finding) -> bool:
        """Return whether a finding's severity is high enough to be reported."""
        return at_least(finding.severity, self.severity)

    def may_know(self, finding: Finding) -> bool:
        """Return whether the baseline may contain the finding."""
        if self.baseline is None:
            return False
        from gpuspec.lint.suppressions.baseline import mark_in

        return mark_in(finding, self.baseline.folder) in self.baseline.marks

    def _relative(self, file: str) -> str:
        folder = self.configuration.folder
        return os.path.relpath(os.path.abspath(file), folder).replace(os.sep, "/")


def at_least(severity: Severity, least: Severity) -> bool:
    """Return whether one severity is at least another."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def baseline_of(configuration: Configuration, path: str | None) -> Baseline | None:
    """Return the given baseline, or else the configuration's; None if there is none, or its path is
    empty.

    Raises `InputError` for an unreadable one.
    """
    file = configuration.baseline if path is None else path
    if not file:
        return None
    from gpuspec.lint.suppressions.baseline import read
    from gpuspec.manifests.files import loose_text

    folder = os.path.dirname(os.path.abspath(file))
    return Baseline(file, folder, read(loose_text(file), file))
