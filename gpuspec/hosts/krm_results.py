"""Findings as results of a KRM function."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.characters import visible
from gpuspec.hosts.krm_wire import mapping
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec import Document, Finding, Problem

# Who reads files into a ResourceList notes where from; the older names first.
_PATHS = ("config.kubernetes.io/path", "internal.config.kubernetes.io/path")
_INDEXES = ("config.kubernetes.io/index", "internal.config.kubernetes.io/index")


def about_problems(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return results for the faults of a config or a spec."""
    return [
        {
            "message": visible(
                f"{problem.message} ({problem.hint})" if problem.hint else problem.message
            ),
            "severity": "error",
        }
        for problem in problems
    ]


def about_findings(
    findings: Iterable[Finding], items: Sequence[Document] = ()
) -> list[dict[str, Any]]:
    """Return results for findings in items; without items, for findings in a spec."""
    starts = [item.place_at(0).line for item in items]
    results: list[dict[str, Any]] = []
    for finding in findings:
        number = bisect_right(starts, finding.line) - 1
        message = visible(f"{finding.rule} {finding.name}: {finding.message}")
        result: dict[str, Any] = {"message": message, "severity": finding.severity}
        if number >= 0:
            result |= _place(finding, items[number])
        result["tags"] = {
            "rule": finding.rule,
            "name": finding.name,
            "confidence": finding.confidence,
        }
        if finding.fix is not None:
            result["tags"] |= {
                "fix": visible(finding.fix.title),
                "safe": str(finding.fix.safe).lower(),
            }
        results.append(result)
    return results


def _place(finding: Finding, item: Document) -> dict[str, Any]:
    """Return the resource, its field with the value of a fix, and its file if it is known."""
    from gpuspec import proposal

    value: Any = item.value
    metadata = mapping(value.get("metadata"))
    reference = {
        "apiVersion": value.get("apiVersion"),
        "kind": value.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
    }
    place: dict[str, Any] = {"resourceRef": {k: v for k, v in reference.items() if v is not None}}
    if (proposed := proposal(item, finding)) is not None and proposed.path:
        place["field"] = {"path": proposed.path}
        if proposed.current is not None:
            place["field"]["currentValue"] = proposed.current
        place["field"]["proposedValue"] = proposed.proposed
    elif finding.path:
        place["field"] = {"path": finding.path}
    annotations = mapping(metadata.get("annotations"))
    path = next((annotations[key] for key in _PATHS if key in annotations), None)
    if path is not None:
        place["file"] = {"path": path}
        index_text = next((annotations[key] for key in _INDEXES if key in annotations), "")
        index = read_whole(str(index_text))
        if index is not None:
            place["file"]["index"] = index
    return place
