"""Shared text of the formats: counts in words, titles, remarks, file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding

STDIN = "<stdin>"
"""The file name of findings in standard input."""

CHART = "<helm template>"
"""The end of the file name of findings in rendered charts."""


def where(finding: Finding) -> str:
    """Return `file:line:column`, which editors and terminals show as a link."""
    return f"{finding.file}:{finding.line}:{finding.column}"


def title(finding: Finding) -> str:
    """Return `GPU102 request-differs-from-limit`."""
    return f"{finding.rule} {finding.name}"


def fix_title(finding: Finding) -> str | None:
    """Return `set the limit too (safe fix)`; None without a fix."""
    if finding.fix is None:
        return None
    return f"{finding.fix.title} ({'safe' if finding.fix.safe else 'unsafe'} fix)"


def note_lines(finding: Finding) -> list[str]:
    """Return the lines of the note; none if the fix has the same words."""
    is_said = finding.fix is not None and finding.fix.title == finding.note
    return finding.note.split("\n") if finding.note and not is_said else []


def remarks(finding: Finding) -> list[str]:
    """Return the lines below the message, for formats with one text for each finding."""
    lines = note_lines(finding)
    lines[:1] = [f"note: {line}" for line in lines[:1]]
    lines += [f"see {a.file}:{a.line}:{a.column}: {a.message}" for a in finding.related]
    if (fix := fix_title(finding)) is not None:
        lines.append(f"help: {fix}")
    if finding.fix is not None and finding.fix.reason is not None:
        lines.append(f"unsafe: {finding.fix.reason}")
    if finding.object is not None:
        lines.append(f"object: {finding.object}{f', {finding.path}' if finding.path else ''}")
    if finding.template is not None:
        lines.append(f"template: {finding.template}")
    return lines


def in_repository(file: str) -> str:
    """Return a file's name as repository hosts know it: forward slashes, no `./` before it."""
    return file.replace("\\", "/").removeprefix("./")
