"""What a run comes to, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.ink import BOLD, CYAN, RED, YELLOW, fold, paint
from gpuspec.report.lint.words import counted

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding, Severity
    from gpuspec.lint.result import Result

STYLES: dict[Severity, str] = {"error": RED, "warning": YELLOW, "info": CYAN}
"""How each severity is coloured; they stand in the order of weight."""
WAYS = ("--fix", "--unsafe-fixes")
"""What makes the safe fixes, and what makes all of them, where `gpuspec lint` itself is run."""


def summary_text(
    result: Result,
    *,
    width: int | None = None,
    color: bool = False,
    ways: tuple[str, str] | None = WAYS,
) -> str:
    """`2 errors, 1 warning in 14 documents of 3 files; 1 suppressed; 1 can be fixed with --fix`.

    Its end included; folded for a terminal. Without findings it begins with `no findings`. `ways`
    are what makes the safe fixes and all of them; None where nothing does.
    """
    found = {one: number for one in STYLES if (number := result.count(one))}
    head = ", ".join(counted(number, one) for one, number in found.items()) or "no findings"
    looked = f"{counted(result.documents, 'document')} of {counted(result.files, 'file')}"
    parts = [f"{head} in {looked}", *_quiet(result), *_fixable(result.findings, ways)]
    text = "\n".join(fold("; ".join(parts), width, "", "  ")) + "\n"
    for one, number in found.items():
        said = counted(number, one)
        text = text.replace(said, paint(said, BOLD, STYLES[one], on=color), 1)
    return text


def _quiet(result: Result) -> list[str]:
    quiet = [f"{len(result.suppressed)} suppressed"] if result.suppressed else []
    quiet += [f"{len(result.baselined)} in the baseline"] if result.baselined else []
    return [", ".join(quiet)] if quiet else []


def _fixable(findings: tuple[Finding, ...], ways: tuple[str, str] | None) -> list[str]:
    fixes = [one.fix for one in findings if one.fix is not None]
    safe = sum(fix.safe for fix in fixes)
    unsafe = len(fixes) - safe
    if not fixes or ways is None:
        return []
    if not safe:
        return [f"{unsafe} can be fixed with {ways[1]}"]
    more = f", {unsafe} more with {ways[1]}" if unsafe else ""
    return [f"{safe} can be fixed with {ways[0]}{more}"]
