"""What the formats have in common: counts in words, titles, remarks, names of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding

STDIN = "<stdin>"
"""The file of findings in standard input."""

CHART = "<helm template>"
"""The end of the file of findings in what a chart makes."""


def counted(number: int, word: str) -> str:
    """Return `1 error`, `2 errors`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def where(finding: Finding) -> str:
    """Return `file:line:column`, where editors and terminals make it a link."""
    return f"{finding.file}:{finding.line}:{finding.column}"


def title(finding: Finding) -> str:
    """Return `GPU102 request-differs-from-limit`."""
    return f"{finding.rule} {finding.name}"


def fix_title(finding: Finding) -> str | None:
    """Return `set the limit too (safe fix)`; None where there is no fix."""
    if finding.fix is None:
        return None
    return f"{finding.fix.title} ({'safe' if finding.fix.safe else 'unsafe'} fix)"


def remarks(finding: Finding) -> list[str]:
    """Return what stands below the message where a format has one text for a finding, a line for
    each."""
    found = f"note: {finding.note}".split("\n") if finding.note else []
    found += [f"see {a.file}:{a.line}:{a.column}: {a.message}" for a in finding.related]
    if (fix := fix_title(finding)) is not None:
        found.append(f"help: {fix}")
    if finding.fix is not None and finding.fix.reason is not None:
        found.append(f"unsafe: {finding.fix.reason}")
    if finding.object is not None:
        found.append(f"object: {finding.object}{f', {finding.path}' if finding.path else ''}")
    if finding.template is not None:
        found.append(f"template: {finding.template}")
    return found


def in_repository(file: str) -> str:
    """Return a file's name as hosts of repositories know it: forward slashes, no `./` before it."""
    return file.replace("\\", "/").removeprefix("./")
