"""The summary of a lint run in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.report.ink import BOLD, CYAN, RED, YELLOW, fold, paint
from gpuspec.report.lint.ways import WAYS, Ways

if TYPE_CHECKING:
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

STYLES: dict[Severity, str] = {"error": RED, "warning": YELLOW, "info": CYAN}
"""The colour of each severity, in the order of weight."""


def summary_text(
    result: LintResult,
    *,
    width: int | None = None,
    color: bool = False,
    ways: Ways = WAYS,
    hidden: int = 0,
) -> str:
    """Return `2 errors, 1 warning in 14 documents of 3 files; 1 suppressed; 1 can be fixed with
    --fix`.

    With a final line break; folded for a terminal. Without findings it begins with `no findings`.
    `hidden` is the number of infos that the report does not show.
    """
    counts = {severity: number for severity in STYLES if (number := result.count(severity))}
    head = ", ".join(counted(number, name) for name, number in counts.items()) or "no findings"
    # Infos stand last.
    head += f" (shown with {ways.infos})" if hidden else ""
    looked = f"{counted(result.documents, 'document')} of {counted(result.files, 'file')}"
    parts = [f"{head} in {looked}", *_quiet(result), *_fixable(result, ways.fixes, hidden)]
    text = "\n".join(fold("; ".join(parts), width, "", "  ")) + "\n"
    for name, number in counts.items():
        count_text = counted(number, name)
        text = text.replace(count_text, paint(count_text, BOLD, STYLES[name], on=color), 1)
    return text


def _quiet(result: LintResult) -> list[str]:
    quiet = [f"{len(result.suppressed)} suppressed"] if result.suppressed else []
    quiet += [f"{len(result.baselined)} in the baseline"] if result.baselined else []
    return [", ".join(quiet)] if quiet else []


def _fixable(result: LintResult, ways: tuple[str, str] | None, hidden: int) -> list[str]:
    fixes = [finding.fix for finding in result.findings if finding.fix is not None]
    safe, unsafe = result.offered
    # Of those that were not made some may turn out to be none.
    most = "up to " if safe or unsafe else ""
    safe += sum(fix.safe for fix in fixes)
    unsafe += sum(not fix.safe for fix in fixes)
    if ways is None or not (safe or unsafe):
        return []
    unseen = sum(
        finding.fix is not None and finding.severity == "info" for finding in result.findings
    )
    more = f" (hidden infos: {unseen})" if hidden and unseen else ""
    if not safe:
        return [f"{most}{unsafe} can be fixed with {ways[1]}{more}"]
    more = f", {most}{unsafe} more with {ways[1]}{more}" if unsafe else more
    return [f"{most}{safe} can be fixed with {ways[0]}{more}"]
