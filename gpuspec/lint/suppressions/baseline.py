"""Baselines: known findings of a repository, so that only new ones are reported.

The file is JSON with one finding per line, sorted, without line numbers. An edit above a finding
does not change it, and its diff shows which findings were fixed and which were added. File names
are relative to the baseline's folder, so it is valid in any working directory. Bytes of a name that
are not UTF-8 are escaped as lone surrogates, as in Python.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Finding
from gpuspec.lint.suppressions.fingerprint import Mark, mark
from gpuspec.loading.notes import LoadingNote
from gpuspec.manifests import InputError, Place, Problem
from gpuspec.settings.codes import current

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

VERSION = 1
_HINT = "update the baseline with --write-baseline"


class BaselineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry of the file: a mark, and the number of findings with it."""

    file: str
    rule: str
    object: str
    path: str
    count: int = 1

    @property
    def mark(self) -> Mark:
        """The mark of its findings, with the current code of their rule."""
        return Mark(self.file, current(self.rule), self.object, self.path)


class BaselineResult(msgspec.Struct, frozen=True):
    """The findings of a run compared with a baseline."""

    kept: tuple[Finding, ...]
    """New findings; of several with one mark, the last ones."""
    hidden: tuple[Finding, ...]
    """Findings in the baseline."""
    stale: tuple[BaselineEntry, ...]
    """Entries of findings that no longer exist, with their number."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    findings: tuple[BaselineEntry, ...]


def written(findings: Iterable[Finding], folder: str) -> str:
    """Return the text of a baseline in a folder, with all these findings."""
    counts = Counter(mark_in(finding, folder) for finding in findings)
    lines = [
        json.dumps(_fields(count, counts[count]), ensure_ascii=False) for count in sorted(counts)
    ]
    return f'{{"version": {VERSION}, "findings": [\n' + ",\n".join(lines) + "\n]}\n"


def read(text: str, name: str) -> tuple[BaselineEntry, ...]:
    """Return the entries of a baseline's text. Raises `InputError` for an invalid one."""
    try:
        # Not msgspec's own reader, which takes no name that is no UTF-8.
        file = msgspec.convert(json.loads(text), type=_File)
    except (ValueError, RecursionError) as error:
        message = f"this is not a baseline: {error}"
        raise InputError([Problem(message, Place(name, 1, 1), _HINT)]) from None
    if file.version != VERSION:
        message = f"the baseline has version {file.version}, but this gpuspec reads {VERSION}"
        raise InputError([Problem(message, Place(name, 1, 1), _HINT)])
    return file.findings


def apply(
    findings: Iterable[Finding],
    entries: Iterable[BaselineEntry],
    folder: str,
    files: Iterable[str],
    ran: Callable[[str], bool] = lambda code: True,
    gone: Callable[[str, str], bool] = lambda file, folder: False,
) -> BaselineResult:
    """Take off what a baseline knows.

    Args:
        findings: Those that are left after suppressions.
        entries: Of the baseline.
        folder: The one that the baseline lies in.
        files: Names of the files that were looked at; of others nothing is called stale.
        ran: Whether a rule, by its code, was among those that ran; likewise.
        gone: Whether a file, as it lies to the folder, is there no more: what is known of it is stale.
    """
    remaining: Counter[Mark] = Counter()
    for entry in entries:
        remaining[entry.mark] += entry.count
    new_findings: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        finding_mark = mark_in(finding, folder)
        if remaining[finding_mark] > 0:
            remaining[finding_mark] -= 1
            hidden.append(finding)
        else:
            new_findings.append(finding)
    looked = {_name(file, folder) for file in files}
    stale = [
        BaselineEntry(entry_mark.file, entry_mark.rule, entry_mark.object, entry_mark.path, count)
        for entry_mark, count in sorted(remaining.items())
        if count > 0
        and (entry_mark.file in looked or gone(entry_mark.file, folder))
        and ran(entry_mark.rule)
    ]
    return BaselineResult(tuple(new_findings), tuple(hidden), tuple(stale))


def note(stale: tuple[BaselineEntry, ...], name: str) -> LoadingNote | None:
    """Return the note on a baseline's stale entries; None if it has none."""
    if not stale:
        return None
    count = sum(entry.count for entry in stale)
    first = stale[0]
    where = f"{first.rule} in {first.file}"
    fault = (
        "1 finding that no longer exists"
        if count == 1
        else f"{count} findings that no longer exist"
    )
    more = ", …" if len(stale) > 1 else ""
    return LoadingNote(name, f"knows {fault} ({where}{more}): {_HINT}")


def _fields(entry_mark: Mark, count: int) -> dict[str, str | int]:
    fields: dict[str, str | int] = {
        "file": entry_mark.file,
        "rule": entry_mark.rule,
        "object": entry_mark.object,
        "path": entry_mark.path,
    }
    return fields | {"count": count} if count > 1 else fields


def mark_in(finding: Finding, folder: str) -> Mark:
    """Return the mark of a finding in the baseline of a folder."""
    return msgspec.structs.replace(mark(finding), file=_name(finding.file, folder))


def is_gone(file: str, folder: str) -> bool:
    """Return whether a file in a baseline is missing. Output of helm and pipes are not files."""
    return "<" not in file and not os.path.lexists(os.path.join(folder, file))


def _name(file: str, folder: str) -> str:
    """Return a file's name relative to a folder; anything else keeps its name."""
    if file.startswith("<"):
        return file
    return os.path.relpath(os.path.abspath(file), folder).replace(os.sep, "/")
