"""Findings in objects that charts create, some of which are known only in part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Drop, Put
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.lint.model import Change, Fix, RawFinding, Rule
    from gpuspec.loading.origins import ChartOrigin
    from gpuspec.manifests import Path

_ABOUT_TEXT = frozenset({"GPU015", "GPU769"})
"""Rules about the text, which check the release itself."""
_OF_WHAT_IS_THERE = frozenset(
    {
        *("GPU011", "GPU017", "GPU101", "GPU103", "GPU104", "GPU205", "GPU209", "GPU210"),
        *("GPU212", "GPU213", "GPU214", "GPU301", "GPU302", "GPU311", "GPU312", "GPU313"),
        *("GPU318", "GPU402", "GPU415", "GPU604", "GPU611", "GPU614", "GPU704", "GPU706"),
        *("GPU708", "GPU731", "GPU739", "GPU748", "GPU749", "GPU836", "GPU849", "GPU906"),
    }
)
"""Rules that apply regardless of other fields, because nothing that a chart adds can excuse the
fault."""
_OF_TOLD_FIELDS = frozenset(
    {
        *("GPU010", "GPU012", "GPU022", "GPU306", "GPU319", "GPU423", "GPU425", "GPU502"),
        "GPU505",
        *("GPU507", "GPU508", "GPU509", "GPU746", "GPU750", "GPU792", "GPU902", "GPU904", "GPU967"),
        *("GPU838", "GPU839", "GPU881", "GPU921"),
    }
)
"""Rules that apply if the chart is known to use a value for the field that it resembles."""

_OF_A_LINE = frozenset({"GPU618", "GPU746", "GPU750", "GPU793", "GPU967"})
"""Rules that also apply if the whole command line is known."""


def moved(rule: Rule, finding: RawFinding, charted: ChartOrigin) -> RawFinding | None:
    """Convert a finding in a chart's object into one about its release's values.

    None if it may be untrue: for an object known in part, only findings about written fields count,
    and none is certain.
    """
    if charted.made.whole:
        if rule.code in _ABOUT_TEXT:
            return None
        severity = finding.severity
    else:
        holds = (
            rule.code in _OF_WHAT_IS_THERE
            or (charted.made.line and rule.code in _OF_A_LINE)
            or (charted.made.told and rule.code in _OF_TOLD_FIELDS)
        )
        if not holds or not charted.writes(finding.path):
            return None
        severity = finding.severity or rule.severity
        if severity == "error" and not charted.made.line:
            severity = "warning"
    path, inside = charted.place(finding.path)
    return msgspec.structs.replace(
        finding,
        path=path,
        inside=inside,
        object=None,
        severity=severity,
        fix=None if finding.fix is None else _fix(finding.fix, charted),
    )


def _fix(fix: Fix, charted: ChartOrigin) -> Fix | None:
    """Return the fix for the values; None if they have another form than the object."""
    if charted.release.is_text or not charted.made.whole:
        return None
    changes: list[Change] = []
    for change in fix.changes:
        if not _is_copied(change.path, charted):
            return None
        path, _ = charted.place(change.path)
        if isinstance(change, Drop) and charted.made.origin(change.path) in charted.made.defaulted:
            changes.append(Put(path, None))
        else:
            changes.append(msgspec.structs.replace(change, path=path))
    is_own = all(charted.made.origin(change.path)[:1] == ("controllers",) for change in fix.changes)
    return msgspec.structs.replace(fix, changes=tuple(changes), safe=fix.safe and is_own)


def _is_copied(path: Path, charted: ChartOrigin) -> bool:
    """Return whether a value is copied unchanged into the object's field, so that a fix of the
    field applies to it."""
    obj = charted.made
    for end in range(len(path), 0, -1):
        origin = obj.origins.get(path[:end])
        if origin is not None:
            chart_value = at(charted.release.values, origin)
            return chart_value is not None and bool(chart_value == at(obj.value, path[:end]))
    return False
