"""What could not be read, as findings: rules of the first family that no check raises."""

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
    """Return a document or a file that could not be read."""
    return _finding(UNREADABLE, Problem(unread_part.message, unread_part.place, unread_part.hint))


def wrong(problem: Problem) -> Finding:
    """Return what is wrong with a spec, or with a cluster profile."""
    return _finding(WRONG, problem)


def refused(reasons: tuple[Problem, ...]) -> list[Finding]:
    """Return why the profile cannot carry a workload."""
    return [_finding(REFUSED, problem) for problem in why_refused(reasons)]


def doubtful(problem: Problem) -> Finding:
    """Return what a spec says that contradicts itself or what is known, and is rendered all the
    same."""
    return _finding(DOUBTFUL, problem, "likely")


def not_rendered(workload: Workload, reasons: tuple[Problem, ...]) -> LoadingNote:
    """Return why a workload was linted only as it is written: without a profile that is nobody's
    fault."""
    why = "; ".join(reason.message for reason in reasons)
    message = f"{workload.name} is not linted as rendered without a profile (-c): {why}"
    return LoadingNote(workload.place(()).file, message)


def misspelt_clusters(workload: Workload, profiles: Sequence[str]) -> Iterator[Finding]:
    """Yield the clusters of a workload that no profile has and one is spelled nearly so."""
    for number, nearest_name in workload.misspelt_clusters(profiles):
        name = workload.model.spec.clusters.names[number]
        place = workload.place(("spec", "clusters", "names", number))
        message = f"no profile is called `{name}`: the workload is not rendered for it"
        yield doubtful(Problem(message, place, f"did you mean `{nearest_name}`?"))


def elsewhere(workload: Workload, profiles: Sequence[str]) -> LoadingNote:
    """Note that a workload was linted only as written: it selects none of the profiles."""
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
