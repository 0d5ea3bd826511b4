"""`gpuspec lint`."""

from typing import Annotated, Any

import typer

from gpuspec.cli.completing import complete_rule
from gpuspec.cli.group import GpuspecCommand
from gpuspec.cli.linting import LintOptions, Severity, lint_paths
from gpuspec.cli.options import AllowEmpty, ConfigFile, ForceExclude, Paths, SomeClusters

WORDS = "gpuspec.words"


class LintCommand(GpuspecCommand):
    """The parser that keeps the order of the words: `-o` belongs to the `--format` before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the remaining arguments."""
        ctx.meta[WORDS] = [*args]
        return super().parse_args(ctx, args)


def _complete_format(incomplete: str) -> list[str]:
    from gpuspec.report.lint import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def lint(
    context: typer.Context,
    paths: Paths = None,
    cluster: SomeClusters = None,
    format: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of the report: text, full, concise, json, sarif, junit, github, gitlab, markdown. "
            "Repeatable. Default: text.",
            autocompletion=_complete_format,
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("-o", "--output", metavar="FILE", help="File for the --format before it."),
    ] = None,
    schema_location: Annotated[
        list[str] | None,
        typer.Option(
            "--schema-location",
            metavar="PLACE",
            help="Schemas of custom kinds: a folder, a path template like kubeconform's, or "
            "default for the bundled ones. Repeatable. Default: the configuration's.",
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="RULE",
            help="Only these rules: a code, its beginning (GPU4), or a name. Repeatable.",
            autocompletion=complete_rule,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="RULE",
            help="Skip these rules. Repeatable.",
            autocompletion=complete_rule,
        ),
    ] = None,
    severity: Annotated[
        Severity | None,
        typer.Option(
            "--severity",
            help="Hide findings below this severity. Default: info; text output only counts infos.",
        ),
    ] = None,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Exit with 1 from this severity up.")
    ] = "error",
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")
    ] = False,
    allow_empty: AllowEmpty = False,
    fix: Annotated[bool, typer.Option("--fix", help="Apply the safe fixes to the files.")] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes", help="Apply all fixes, including those that change what runs."
        ),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what fixes would change, as a patch.")
    ] = False,
    suppress: Annotated[
        str | None,
        typer.Option(
            "--suppress",
            metavar="REASON",
            help=(
                "Write a comment with this reason at each finding to suppress it; with --diff, as "
                "a patch."
            ),
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="FILE", help="File of known findings: report only new ones."
        ),
    ] = None,
    write_baseline: Annotated[
        bool,
        typer.Option(
            "--write-baseline", help="Write the baseline: all current findings become known."
        ),
    ] = False,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="Count the findings of each rule instead of showing them."
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("-q", "--quiet", help="Print only findings: no notes, no summary."),
    ] = False,
    config: ConfigFile = None,
    force_exclude: ForceExclude = False,
    stdin_filename: Annotated[
        str | None,
        typer.Option(
            "--stdin-filename",
            metavar="FILE",
            help="File name for standard input: selects its settings and appears in findings.",
        ),
    ] = None,
    show_settings: Annotated[
        bool,
        typer.Option("--show-settings", help="Print the settings that apply, without linting."),
    ] = False,
) -> None:
    """Find faults that keep pods pending, end them or stall a rollout.

    \b
    Examples:
      gpuspec lint .
      helm template chart | gpuspec lint -
      gpuspec lint k8s/ -c clusters/eu.yaml
      gpuspec lint specs/ -c clusters/
      gpuspec lint . --format sarif -o lint.sarif --format text
    """
    lint_options = LintOptions(
        paths=paths or ["."],
        words=context.meta[WORDS],
        cluster=cluster or (),
        select=select or (),
        ignore=ignore or (),
        severity=severity,
        fail_on=fail_on,
        exit_zero=exit_zero,
        allow_empty=allow_empty,
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        diff=diff,
        suppress=suppress,
        baseline=baseline,
        write_baseline=write_baseline,
        statistics=statistics,
        quiet=quiet,
        schemas=schema_location or (),
        config=config,
        force_exclude=force_exclude,
        stdin=stdin_filename,
    )
    if show_settings:
        from gpuspec.cli.showing import show_settings as show

        show(lint_options)
        return
    lint_paths(lint_options)
