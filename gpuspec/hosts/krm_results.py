"""What was found, as results of a KRM function."""

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
    """Return results about what is wrong with a config or a spec."""
    return [
        {
            "message": visible(f"{one.message} ({one.hint})" if one.hint else one.message),
            "severity": "error",
        }
        for one in problems
    ]


def about_findings(
    findings: Iterable[Finding], items: Sequence[Document] = ()
) -> list[dict[str, Any]]:
    """Return results about findings in items; without them, about findings in a spec."""
    starts = [one.place_at(0).line for one in items]
    found: list[dict[str, Any]] = []
    for one in findings:
        number = bisect_right(starts, one.line) - 1
        message = visible(f"{one.rule} {one.name}: {one.message}")
        result: dict[str, Any] = {"message": message, "severity": one.severity}
        if number >= 0:
            result |= _place(one, items[number])
        result["tags"] = {"rule": one.rule, "name": one.name, "confidence": one.confidence}
        if one.fix is not None:
            result["tags"] |= {"fix": visible(one.fix.title), "safe": str(one.fix.safe).lower()}
        found.append(result)
    return found


def _place(finding: Finding, item: Document) -> dict[str, Any]:
    """Return the resource, its field with what a fix would make of it, and its file where that is
    known."""
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
        written = next((annotations[key] for key in _INDEXES if key in annotations), "")
        index = read_whole(str(written))
        if index is not None:
            place["file"]["index"] = index
    return place
