"""What `gpuspec lint` does, once its arguments are known."""

import os
import sys
from typing import TYPE_CHECKING, Any, Literal

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN, missing, one_profile
from gpuspec.cli.reports import Report, wanted_reports
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from gpuspec import LintResult, Mended

Severity = Literal["error", "warning", "info"]
_SUMMED = ("text", "full")
"""The formats that people read on the spot, which end in a summary."""


def lint_paths(
    paths: list[str],
    words: list[str],
    cluster: list[str] | None = None,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    severity: Severity | None = None,
    fail_on: Severity = "error",
    exit_zero: bool = False,
    fix: bool = False,
    unsafe_fixes: bool = False,
    diff: bool = False,
    baseline: str | None = None,
    write_baseline: bool = False,
    schemas: list[str] | None = None,
) -> None:
    """Lint and report. Raises `InputError`, and `Stop` with the exit code of findings.

    `words` are the command line's: the order of `--format` and `-o` in it counts.
    """
    # Not `from gpuspec import lint`, which reads like the room of that name.
    import gpuspec
    from gpuspec import InputError
    from gpuspec.report.lint import FORMATS
    from gpuspec.report.lint.ways import shown_from

    if STDIN in (*paths, *(cluster or ())) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    reports = wanted_reports(words)
    if problems := missing(paths):
        raise InputError(problems)
    asked: dict[str, Any] = {
        "profile": one_profile(cluster),
        "select": select or (),
        "ignore": ignore or (),
        "severity": severity or "info",
        "schemas": schemas or (),
    }
    if write_baseline:
        _begin(paths, asked, baseline)
        return
    asked["baseline"] = baseline
    if not (fix or unsafe_fixes or diff):
        formats = {format for format, _ in reports}
        shown = any(shows for format, shows in FORMATS.items() if format in formats)
        result = gpuspec.lint(*paths, **asked, fixes=shown)
    else:
        from gpuspec.cli.scratch import scratch

        with scratch():
            mended = gpuspec.mend(*paths, **asked, unsafe=unsafe_fixes, write=not diff)
        if diff:
            _show(mended)
            return
        if mended.changed:
            files = len(mended.changed)
            say(f"fixed {mended.gone} in {files} {'file' if files == 1 else 'files'}")
        result = mended.result
    least = shown_from(severity, fail_on, select or ())
    _report(result, reports, None if exit_zero else fail_on, least)
    if result.unreadable:
        raise codes.Stop(codes.WRONG)
    if not exit_zero and gpuspec.fails(result, fail_on):
        raise codes.Stop(codes.REFUSED)


def _begin(paths: list[str], asked: dict[str, Any], baseline: str | None) -> None:
    """Write the baseline anew: all that is found now is known from now on."""
    import gpuspec
    from gpuspec import InputError, Problem

    file = baseline or gpuspec.baseline_file(*paths)
    if not file:
        hint = "name the file: --baseline .gpuspec-baseline.json, or `baseline` in .gpuspec.yaml"
        raise InputError([Problem("--write-baseline: no baseline is named", hint=hint)])
    result = gpuspec.lint(*paths, **asked, baseline="", fixes=False)
    if result.unreadable:
        raise InputError([Problem("--write-baseline: nothing that was given could be parsed")])
    count = gpuspec.write_baseline(result, file)
    say(f"{file}: {count} {'finding' if count == 1 else 'findings'} known from now on")


def _show(mended: "Mended") -> None:
    """Print what fixes would change. Raises `Stop` with 1 where they would."""
    if mended.changed:
        from gpuspec.escaping.lines import guarded

        patch = mended.diff()
        # Who is to apply it needs every byte; who is to read it is not to be steered by any.
        data(guarded(patch) if is_terminal(sys.stdout) else patch)
        raise codes.Stop(codes.REFUSED)
    say("nothing to fix")


def _report(
    result: "LintResult", reports: list[Report], fail_on: Severity | None, least: Severity
) -> None:
    """Write and print the reports, and say beside them what they do not."""
    from gpuspec.report.lint.summary import summary_text

    said = False
    for format, place in reports:
        # The usual report of the usual run is empty, and its machinery is not needed then.
        if result.findings or place is not None or format != "text":
            _deliver(result, format, place, fail_on, least)
        said |= bool(result.findings) and place is None and format in _SUMMED
    if result.notes:
        from gpuspec.report.lint.notes import notes_text

        talk(notes_text(result.notes))
    if not said:
        talk(summary_text(result, color=color(sys.stderr)))


def _deliver(
    result: "LintResult",
    format: str,
    place: str | None,
    fail_on: Severity | None,
    least: Severity,
) -> None:
    from gpuspec.report.lint import lint_report

    text = lint_report(
        result,
        format,  # type: ignore[arg-type]
        fail_on=fail_on,
        width=width(sys.stdout) if place is None else None,
        color=place is None and color(sys.stdout),
        least=least,
    )
    if place is not None:
        from gpuspec import write_file

        write_file(place, text)
        return
    if format in _SUMMED and os.environ.get("GITHUB_ACTIONS") == "true":
        text += lint_report(result, "github")
    if text:
        data(text)
