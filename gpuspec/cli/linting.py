"""What `gpuspec lint` does, once its arguments are known."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN, missing, nothing, several_profiles
from gpuspec.cli.reports import DEFAULT, Report, wanted_reports
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from gpuspec import FixResult, LintResult

Severity = Literal["error", "warning", "info"]
_SUMMED = ("text", "full")
"""The formats for reading on a terminal, which end in a summary."""


class LintOptions(NamedTuple):
    """The arguments of `gpuspec lint`."""

    paths: Sequence[str]
    words: Sequence[str]
    """The words of the command line: the order of `--format` and `-o` counts."""
    cluster: Sequence[str] = ()
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    severity: Severity | None = None
    fail_on: Severity = "error"
    exit_zero: bool = False
    allow_empty: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    suppress: str | None = None
    baseline: str | None = None
    write_baseline: bool = False
    statistics: bool = False
    quiet: bool = False
    schemas: Sequence[str] = ()
    config: str | None = None
    force_exclude: bool = False
    stdin: str | None = None


def lint_paths(lint_options: LintOptions) -> None:
    """Lint and report. Raises `InputError`, and `Stop` with the exit code of the findings."""
    # Not `from gpuspec import lint`, which reads like the room of that name.
    import gpuspec
    from gpuspec import InputError
    from gpuspec.report.lint import FORMATS

    paths = lint_options.paths
    if STDIN in (*paths, *lint_options.cluster) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    reports = wanted_reports(lint_options.words)
    if problems := missing(paths):
        raise InputError(problems)
    _check_one_of(lint_options)
    _check_stdin(lint_options)
    _check_statistics(lint_options, reports)
    _check_reports(lint_options, reports)
    options: dict[str, Any] = {
        "profile": several_profiles(lint_options.cluster),
        "select": lint_options.select,
        "ignore": lint_options.ignore,
        "severity": lint_options.severity or "info",
        "schemas": lint_options.schemas,
        "config": lint_options.config,
        "force_exclude": lint_options.force_exclude,
        "stdin": lint_options.stdin,
    }
    if lint_options.write_baseline:
        _begin(lint_options, options)
        return
    options["baseline"] = lint_options.baseline
    interrupted, out = False, sys.stdout
    if not (_changes(lint_options) or lint_options.diff):
        formats = {format for format, _ in reports}
        shown = any(shows for format, shows in FORMATS.items() if format in formats)
        result, interrupted = _linted(paths, options, fixes=shown and not lint_options.statistics)
    else:
        mended = _mended(lint_options, options)
        if lint_options.diff:
            _show(mended, "fix" if lint_options.suppress is None else "suppress")
            return
        if mended.piped is not None:
            data(mended.piped.text)
            out = sys.stderr
        _say_changed(mended, "fixed" if lint_options.suppress is None else "suppressed")
        if lint_options.suppress is not None and mended.result.findings:
            remaining = (
                "findings remain in JSON, in files that cannot be parsed, outside the named "
                "files, or at a suppression with `until=`"
            )
            say(f"{remaining}: --write-baseline makes them known")
        result = mended.result
    _report(result, reports, lint_options, out)
    if interrupted:
        all_documents = result.documents + result.unopened
        far = f"{result.documents} of {all_documents} documents"
        say(f"interrupted after {far}: there may be more findings")
        raise codes.Stop(codes.INTERRUPTED)
    if result.unreadable:
        raise codes.Stop(codes.WRONG)
    if not lint_options.exit_zero and gpuspec.fails(result, lint_options.fail_on):
        raise codes.Stop(codes.REFUSED)
    if not lint_options.allow_empty and result.is_empty:
        nothing(paths)


def _check_one_of(lint_options: LintOptions) -> None:
    """Raise `InputError` for two options that both change the findings' files."""
    from gpuspec import InputError, Problem

    others = {
        "--fix": lint_options.fix,
        "--unsafe-fixes": lint_options.unsafe_fixes,
        "--write-baseline": lint_options.write_baseline,
    }
    fixing_options = [name for name, is_given in others.items() if is_given]
    if lint_options.suppress is not None and fixing_options:
        hint = (
            "run it twice, first with the fixes" if fixing_options != ["--write-baseline"] else None
        )
        hint = hint or "choose one: a baseline has no reasons, and suppressions need no baseline"
        raise InputError(
            [Problem(f"--suppress and {fixing_options[0]} cannot be combined", hint=hint)]
        )


def _check_stdin(lint_options: LintOptions) -> None:
    """Raise `InputError` for a name of standard input in a run that does not read it."""
    from gpuspec import InputError, Problem

    if lint_options.stdin is not None and STDIN not in lint_options.paths:
        message = "--stdin-filename names standard input, which is not among the paths"
        hint = f"gpuspec lint - --stdin-filename {lint_options.stdin}"
        raise InputError([Problem(message, hint=hint)])
    if (
        STDIN in lint_options.paths
        and {*lint_options.paths} != {STDIN}
        and _changes(lint_options)
        and not lint_options.diff
    ):
        message = "changes cannot be made to standard input and other paths in one run"
        hint = "run it once for `-`, which prints the changed text, and once for the files"
        raise InputError([Problem(message, hint=hint)])


def _changes(lint_options: LintOptions) -> bool:
    """Return whether the run changes texts."""
    return lint_options.fix or lint_options.unsafe_fixes or lint_options.suppress is not None


def _check_statistics(lint_options: LintOptions, reports: list[Report]) -> None:
    """Raise `InputError` for `--statistics` in a run that prints no text report."""
    from gpuspec import InputError, Problem

    if not lint_options.statistics:
        return
    for name, is_given in (
        ("--diff", lint_options.diff),
        ("--write-baseline", lint_options.write_baseline),
    ):
        if is_given:
            hint = f"run it twice, once without {name}"
            raise InputError([Problem(f"--statistics and {name} cannot be combined", hint=hint)])
    if not any(place is None and format in _SUMMED for format, place in reports):
        format, place = reports[0]
        message = f"--statistics prints text, but the format is {format}" if place is None else ""
        hint = f"to get both: --statistics --format {format} -o {place or 'FILE'} --format text"
        message = message or "--statistics prints text, but all reports go to files"
        raise InputError([Problem(message, hint=hint)])


def _check_reports(lint_options: LintOptions, reports: list[Report]) -> None:
    """Raise `InputError` for reports in a run that prints a patch, or writes a baseline, and no report."""
    from gpuspec import InputError, Problem

    name = "--diff" if lint_options.diff else "--write-baseline"
    if reports == [(DEFAULT, None)] or not (lint_options.diff or lint_options.write_baseline):
        return
    format, place = reports[0]
    option = f"--format {format}" if place is None else f"-o {place}"
    hint = f"run it twice, once without {name}"
    raise InputError([Problem(f"{option} and {name} in one run", hint=hint)])


def _linted(
    paths: Sequence[str], options: dict[str, Any], *, fixes: bool
) -> tuple["LintResult", bool]:
    """Return the findings, and whether Ctrl-C ended the run before all documents were linted."""
    import gpuspec
    from gpuspec.cli.progress import progress

    try:
        return gpuspec.lint(*paths, **options, fixes=fixes, tell=progress("linting")), False
    except gpuspec.LintInterrupt as stopped:
        return stopped.result, True


def _mended(lint_options: LintOptions, options: dict[str, Any]) -> "FixResult":
    """Return the findings that remain after all fixes or suppressions, which are written unless a
    patch is wanted.
    """
    import gpuspec
    from gpuspec.cli.progress import progress
    from gpuspec.cli.scratch import scratch

    options |= {"write": not lint_options.diff}
    if lint_options.suppress is not None:
        options |= {"tell": progress("suppressing", stays=True)}
        with scratch():
            return gpuspec.suppress(*lint_options.paths, reason=lint_options.suppress, **options)
    options |= {"tell": progress("fixing", stays=True), "unsafe": lint_options.unsafe_fixes}
    with scratch():
        return gpuspec.mend(*lint_options.paths, **options)


def _say_changed(mended: "FixResult", how: str) -> None:
    if mended.changed:
        files = len(mended.changed)
        say(f"{how} {mended.gone} in {files} {'file' if files == 1 else 'files'}")


def _begin(lint_options: LintOptions, options: dict[str, Any]) -> None:
    """Write the baseline anew: all current findings become known."""
    import gpuspec
    from gpuspec import InputError, Problem

    paths = lint_options.paths
    file = lint_options.baseline or gpuspec.baseline_file(*paths, config=lint_options.config)
    if not file:
        hint = "name the file: --baseline .gpuspec-baseline.json, or `baseline` in .gpuspec.yaml"
        raise InputError([Problem("--write-baseline needs the name of a file", hint=hint)])
    result = gpuspec.lint(*paths, **options, baseline="", fixes=False)
    if result.unreadable:
        raise InputError(
            [Problem("--write-baseline needs an input that can be parsed, and none can")]
        )
    count = gpuspec.write_baseline(result, file)
    say(f"{file}: {count} {'finding' if count == 1 else 'findings'} written to the baseline")


def _show(mended: "FixResult", verb: str) -> None:
    """Print what would change. Raises `Stop` with 1 if anything would."""
    if mended.changed:
        from gpuspec.escaping.lines import guarded

        patch = mended.diff()
        # Who is to apply it needs every byte; who is to read it is not to be steered by any.
        data(guarded(patch) if is_terminal(sys.stdout) else patch)
        raise codes.Stop(codes.REFUSED)
    unsafe = sum(
        finding.fix is not None and not finding.fix.safe for finding in mended.result.findings
    )
    if verb == "fix" and unsafe:
        say(f"no finding has a safe fix; {unsafe} can be fixed with --unsafe-fixes")
    else:
        say(f"nothing to {verb}")


def _report(
    result: "LintResult", reports: list[Report], lint_options: LintOptions, out: TextIO
) -> None:
    """Write and print the reports, and print to stderr what they leave out.

    They go to `out`: stderr if stdout has the text of standard input.
    """
    from gpuspec.report.lint.summary import summary_text
    from gpuspec.report.lint.ways import shown_from

    fail_on = None if lint_options.exit_zero else lint_options.fail_on
    least = shown_from(lint_options.severity, lint_options.fail_on, lint_options.select)
    is_summed_up = False
    for format, place in reports:
        if place is None and format in _SUMMED and lint_options.statistics:
            _count(result, out)
        # The usual report of the usual run is empty, and its machinery is not needed then.
        elif result.findings or place is not None or format != "text":
            _deliver(result, format, place, fail_on, least, lint_options.quiet, out)
            is_summed_up |= bool(result.findings) and place is None and format in _SUMMED
    if lint_options.quiet:
        return
    if result.notes:
        from gpuspec.report.lint.notes import notes_text

        talk(notes_text(result.notes, width(sys.stderr)))
    if not is_summed_up and (lint_options.allow_empty or not result.is_empty):
        talk(summary_text(result, width=width(sys.stderr), color=color(sys.stderr)))


def _count(result: "LintResult", out: TextIO) -> None:
    from gpuspec.report.lint.statistics import statistics_text

    _print(statistics_text(result, color=color(out)), out)


def _print(text: str, out: TextIO) -> None:
    if out is sys.stderr:
        talk(text)
    else:
        data(text)


def _deliver(
    result: "LintResult",
    format: str,
    place: str | None,
    fail_on: Severity | None,
    least: Severity,
    quiet: bool,
    out: TextIO,
) -> None:
    from gpuspec.report.lint import lint_report

    text = lint_report(
        result,
        format,  # type: ignore[arg-type]
        fail_on=fail_on,
        width=width(out) if place is None else None,
        color=place is None and color(out),
        least=least,
        summary=not quiet,
    )
    if place is not None:
        from gpuspec import write_file

        write_file(place, text)
        return
    if format in _SUMMED and os.environ.get("GITHUB_ACTIONS") == "true":
        text += lint_report(result, "github")
    if text:
        _print(text, out)
