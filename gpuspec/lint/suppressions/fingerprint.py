"""The identity of a finding over time, independent of its position in the file.

Lines move with every edit above them. Rule, file, object and path stay, so that a baseline and
platforms that track findings recognise them.
"""

from collections.abc import Iterable

import msgspec

from gpuspec.lint.model import Finding


class Mark(msgspec.Struct, frozen=True, order=True):
    """The identity of a finding; several findings may share one."""

    file: str
    """The file's name with forward slashes and without a leading `./`."""
    rule: str
    object: str
    """`Deployment serving/chat`; empty for a finding about a whole file."""
    path: str


def mark(finding: Finding) -> Mark:
    """Return the mark of a finding. The API version of an object is not part of it."""
    from posixpath import normpath

    file = normpath(finding.file.replace("\\", "/"))
    return Mark(file, finding.rule, str(finding.object or ""), finding.path)


def fingerprint(finding: Finding, nth: int = 0) -> str:
    """Return the mark as 32 hexadecimal digits; `nth` distinguishes findings with the same mark,
    from 0."""
    from hashlib import sha256

    finding_mark = mark(finding)
    parts = (
        finding_mark.rule,
        finding_mark.file,
        finding_mark.object,
        finding_mark.path,
        *([str(nth)] if nth else []),
    )
    return sha256("\0".join(parts).encode(errors="backslashreplace")).hexdigest()[:32]


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return a fingerprint for each finding, no two of them equal, for formats that must not repeat
    one."""
    counts: dict[Mark, int] = {}
    out: list[str] = []
    for finding in findings:
        finding_mark = mark(finding)
        nth = counts.get(finding_mark, 0)
        counts[finding_mark] = nth + 1
        out.append(fingerprint(finding, nth))
    return out
