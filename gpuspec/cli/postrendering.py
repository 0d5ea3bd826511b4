"""What `gpuspec helm postrender` does, once its arguments are known."""

import sys
from typing import TYPE_CHECKING

from gpuspec.cli.codes import REFUSED, Stop
from gpuspec.cli.compose import one_profile
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from gpuspec.cli.linting import Severity
    from gpuspec.hosts.helm import Fix


def postrender(
    cluster: str | None,
    severity: "Severity | None",
    fail_on: "Severity",
    fix: "Fix",
    report: str | None,
) -> None:
    """Print manifests unchanged. Raises `InputError`, and `Stop` for findings; then nothing is
    printed.
    """
    from gpuspec import InputError, Problem, fails, standard_input
    from gpuspec.hosts.helm import post_render
    from gpuspec.report.lint.notes import notes_text
    from gpuspec.report.lint.text import text_report
    from gpuspec.report.lint.ways import Ways, shown_from

    if report:
        _say_in(report)
    if sys.stdin is None or is_terminal(sys.stdin):
        hint = "let Helm run it: helm template NAME CHART --post-renderer gpuspec-postrender"
        raise InputError([Problem("standard input has no manifests", hint=hint)])
    profile = one_profile([cluster] if cluster else None)
    out, result, gone = post_render(standard_input(), profile, severity or "info", fix)
    talk(notes_text(result.notes))
    wide, colored = width(sys.stderr), color(sys.stderr)
    ways, least = Ways(("--fix safe", "--fix all")), shown_from(severity, fail_on)
    talk(text_report(result, width=wide, color=colored, ways=ways, least=least))
    if gone:
        say(f"fixed {gone}")
    if fails(result, fail_on):
        raise Stop(REFUSED)
    data(out)


def _say_in(report: str) -> None:
    """Write all further messages to the end of a file."""
    from gpuspec import InputError, Problem

    try:
        # Until the end, and with file names as the usual stderr has them.
        sys.stderr = open(report, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    except OSError as error:
        raise InputError([Problem(f"--report {report}: {error.strerror}")]) from None
