"""Findings about a profile, as text and as JSON."""

from collections.abc import Iterable
from typing import Protocol

from gpuspec.enumeration import counted
from gpuspec.escaping.characters import visible
from gpuspec.escaping.formats import json_text
from gpuspec.escaping.lines import guarded
from gpuspec.report.ink import BOLD, CYAN, RED, fold, paint, whole

_STYLES = {"error": RED, "note": CYAN}


class ProfilePlaceLike(Protocol):
    """A position in a file."""

    @property
    def file(self) -> str:
        """The path as it was given."""

    @property
    def line(self) -> int:
        """Counted from 1."""

    @property
    def column(self) -> int:
        """Counted from 1."""


class ProfileFindingLike(Protocol):
    """A finding of a check in a profile."""

    @property
    def check(self) -> str:
        """The check's name."""

    @property
    def severity(self) -> str:
        """`error` or `note`."""

    @property
    def message(self) -> str:
        """The fault."""

    @property
    def why(self) -> str:
        """The consequence."""

    @property
    def fix(self) -> str:
        """The text to write instead."""

    @property
    def written_path(self) -> str:
        """The path in the document: `spec.pools[0].gpu.count`."""

    @property
    def place(self) -> ProfilePlaceLike | None:
        """Its place; None for a built-in profile."""


def profile_text(
    name: str,
    findings: Iterable[ProfileFindingLike],
    *,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Return a paragraph for each finding: place and message, consequence, fix.

    `name` replaces the missing place of a built-in profile. Folded to `width` columns.
    """
    lines: list[str] = []
    for finding in findings:
        where = visible(str(finding.place) if finding.place else name)
        head = f"{where}: {finding.severity}:"
        first, *rest = fold(
            f"{whole(head)} {visible(finding.message)} [{finding.check}]", width, "", "  "
        )
        style = _STYLES[finding.severity]
        painted = paint(f"{where}: ", BOLD, on=color)
        painted += paint(f"{finding.severity}:", BOLD, style, on=color)
        lines += [painted + first.removeprefix(head), *rest]
        lines += fold(f"why: {visible(finding.why)}", width, "  ", "    ")
        lines += fold(f"fix: {visible(finding.fix)}", width, "  ", "    ")
    return guarded("".join(f"{line}\n" for line in lines), color=color)


def profile_json(found: Iterable[tuple[str, Iterable[ProfileFindingLike]]]) -> str:
    """Return the findings of all profiles, each under its name, as one list of objects."""
    rows = [
        {
            "profile": name,
            "check": finding.check,
            "severity": finding.severity,
            "message": finding.message,
            "why": finding.why,
            "hint": finding.fix,
            "file": finding.place.file if finding.place else None,
            "line": finding.place.line if finding.place else None,
            "column": finding.place.column if finding.place else None,
            "path": finding.written_path,
        }
        for name, findings in found
        for finding in findings
    ]
    return json_text(rows)


def profile_summary(name: str, findings: Iterable[ProfileFindingLike]) -> str:
    """Return `eu: 2 errors, 1 note`, or that there are no findings."""
    severities = [finding.severity for finding in findings]
    counts = {severity: severities.count(severity) for severity in _STYLES}
    count_texts = [counted(n, severity) for severity, n in counts.items() if n]
    return f"{visible(name)}: {', '.join(count_texts) or 'nothing found'}\n"
