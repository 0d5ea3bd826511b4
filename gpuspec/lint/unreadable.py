"""Findings for unreadable input, which no check raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.model import Confidence, Finding
from gpuspec.lint.registry import rule
from gpuspec.loading.notes import LoadingNote
from gpuspec.loading.specs import why_refused
from gpuspec.manifests import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.loading.units import UnreadPart
    from gpuspec.spec import Workload

UNREADABLE = "GPU001"
WRONG = "GPU002"
REFUSED = "GPU003"
DOUBTFUL = "GPU923"


def unread(unread_part: UnreadPart) -> Finding:
    """Return the finding for an unreadable document or file."""
    return _finding(UNREADABLE, Problem(unread_part.message, unread_part.place, unread_part.hint))


def wrong(problem: Problem) -> Finding:
    """Return the finding for a problem of a spec or a cluster profile."""
    return _finding(WRONG, problem)


def refused(reasons: tuple[Problem, ...]) -> list[Finding]:
    """Return the finding for a workload that cannot run on the profile."""
    return [_finding(REFUSED, problem) for problem in why_refused(reasons)]


def doubtful(problem: Problem) -> Finding:
    """Return the finding for a contradiction in a spec that is rendered nevertheless."""
    return _finding(DOUBTFUL, problem, "likely")


def not_rendered(workload: Workload, reasons: tuple[Problem, ...]) -> LoadingNote:
    """Return the finding for a workload that was linted only as written."""
    why = "; ".join(reason.message for reason in reasons)
    message = f"{workload.name} is not linted as rendered without a profile (-c): {why}"
    return LoadingNote(workload.place(()).file, message)


def misspelt_clusters(workload: Workload, profiles: Sequence[str]) -> Iterator[Finding]:
    """Yield findings for a workload's unknown clusters that resemble a known one."""
    for number, nearest_name in workload.misspelt_clusters(profiles):
        name = workload.model.spec.clusters.names[number]
        place = workload.place(("spec", "clusters", "names", number))
        message = f"no profile is called `{name}`: the workload is not rendered for it"
        yield doubtful(Problem(message, place, f"did you mean `{nearest_name}`?"))


def elsewhere(workload: Workload, profiles: Sequence[str]) -> LoadingNote:
    """Return the note for a workload that was linted only as written, because it selects none of
    the profiles."""
    others = ", ".join(profiles)
    message = f"{workload.name} is not linted as rendered: `clusters` names others than {others}"
    # Several profiles have a finding for it.
    alike = (
        [nearest_name for _, nearest_name in workload.misspelt_clusters(profiles)]
        if len(profiles) == 1
        else []
    )
    more = f"; did you mean {alike[0]}?" if alike else ""
    return LoadingNote(workload.place(()).file, f"{message}{more}")


def _finding(code: str, problem: Problem, confidence: Confidence = "certain") -> Finding:
    finding_rule = rule(code)
    place = problem.place or Place("", 1, 1)
    return Finding(
        rule=code,
        name=finding_rule.name,
        severity=finding_rule.severity,
        confidence=confidence,
        message=problem.message,
        file=place.file,
        line=place.line,
        column=place.column,
        end_line=place.line,
        end_column=place.column,
        path="",
        note=problem.hint,
    )
