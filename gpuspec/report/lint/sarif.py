"""SARIF 2.1.0, for code scanning.

Suppressed findings and those of the baseline are left out: GitHub does not read `suppressions` and
shows such results as open alerts. The run's properties have their number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.characters import visible
from gpuspec.escaping.formats import json_text
from gpuspec.report.lint.finding_text import fix_title, in_repository

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.model import Edit, Finding, TextFix
    from gpuspec.lint.result import LintResult
    from gpuspec.loading.notes import LoadingNote
    from gpuspec.settings.severity import Severity

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_INTERRUPTED = {
    "level": "error",
    "message": {"text": "The run was interrupted: there may be more findings."},
}


def sarif_report(result: LintResult) -> str:
    """Return one run: the rules with findings and their pages; the findings with their fixes."""
    from gpuspec.lint.suppressions.fingerprint import fingerprints
    from gpuspec.version import __version__

    codes = sorted({finding.rule for finding in result.findings})
    index = {code: number for number, code in enumerate(codes)}
    marks = fingerprints(result.findings)
    first = {finding.rule: finding for finding in reversed(result.findings)}
    run = {
        "tool": {
            "driver": {
                "name": "gpuspec",
                "semanticVersion": __version__,
                "rules": [_rule(first[code]) for code in codes],
            }
        },
        # Ours count characters; SARIF's default counts UTF-16 units.
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not (result.unreadable or result.interrupted),
                "toolExecutionNotifications": [
                    *([_INTERRUPTED] if result.interrupted else []),
                    *map(_notification, result.notes),
                ],
            }
        ],
        "results": [
            _result(finding, index[finding.rule], mark)
            for finding, mark in zip(result.findings, marks, strict=True)
        ],
        "properties": {
            "suppressed": len(result.suppressed),
            "baselined": len(result.baselined),
        },
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(finding: Finding) -> dict[str, Any]:
    """Return a rule's metadata, which GitHub shows next to an alert."""
    from gpuspec.lint.pages import address, page
    from gpuspec.lint.registry import rule
    from gpuspec.report.markdown import sections

    try:
        rule_record, text = rule(finding.rule), page(finding.rule)
        title, description, severity = (
            rule_record.title,
            sections(text).get("What", rule_record.title),
            rule_record.severity,
        )
    except KeyError:
        # A finding of the engine itself, such as a document that could not be read.
        text = title = description = finding.name.replace("-", " ")
        severity = finding.severity
    target = address(finding.rule)
    return {
        "id": finding.rule,
        "name": finding.name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": description},
        "help": {"text": text, "markdown": text},
        **({} if target is None else {"helpUri": target}),
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"problem.severity": _problem_severity(severity)},
    }


def _problem_severity(severity: Severity) -> str:
    """Return the word by which GitHub ranks alerts."""
    return "recommendation" if severity == "info" else severity


def _result(finding: Finding, index: int, mark: str) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": _artifact(finding.file),
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column,
                "endLine": finding.end_line,
                "endColumn": finding.end_column,
            },
        }
    }
    if finding.object is not None:
        name = f"{finding.object}{f': {finding.path}' if finding.path else ''}"
        location["logicalLocations"] = [{"fullyQualifiedName": name}]
    fields: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(map(_sentence, (finding.said, *_notes(finding))))},
        "locations": [location],
        "partialFingerprints": {"gpuspec/v1": mark},
        "properties": {
            "confidence": finding.confidence,
            **({"profiles": list(finding.profiles)} if finding.profiles else {}),
        },
    }
    if finding.related:
        fields["relatedLocations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(related.file),
                    "region": {"startLine": related.line, "startColumn": related.column},
                },
                "message": {"text": _sentence(related.message)},
            }
            for related in dict.fromkeys(finding.related)
        ]
    if finding.fix is not None and finding.fix.edits and (about := fix_title(finding)):
        fields["fixes"] = [_fix(about, finding.file, finding.fix)]
    return fields


def _sentence(text: str) -> str:
    """Return a line of a message, with `[words](target)` escaped, which would be a link."""
    text = visible(text)
    return re.sub(r"[\[\]]", r"\\\g<0>", text) if "](" in text else text


def _notes(finding: Finding) -> Iterable[str]:
    """Yield the parts of a finding that have no field in a result."""
    if finding.note:
        yield from finding.note.split("\n")
    if finding.template is not None:
        yield f"Helm template: {finding.template}"


def _fix(title: str, file: str, fix: TextFix) -> dict[str, Any]:
    return {
        "description": {"text": title},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(file),
                "replacements": [_replacement(edit) for edit in fix.edits],
            }
        ],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": edit.line,
            "startColumn": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
        },
        "insertedContent": {"text": edit.text},
    }


def _notification(note: LoadingNote) -> dict[str, Any]:
    fields: dict[str, Any] = {"level": "note", "message": {"text": _sentence(note.text)}}
    if note.file:
        fields["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(note.file)}}]
    return fields


def _artifact(file: str) -> dict[str, Any]:
    """Return a file as a URI, relative if its name is, so that a checkout has it."""
    from urllib.parse import quote

    name = in_repository(file)
    path = quote(name.encode(errors="surrogateescape"), safe="/")
    # `C:/…` is a path, whatever a URI would take its colon for.
    drive = name[1:3] == ":/"
    return {"uri": f"file:///{path}" if drive else f"file://{path}" if name[:1] == "/" else path}
