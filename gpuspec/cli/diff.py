"""`gpuspec diff`."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuspec.cli.completing import complete_profile
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import color, data, is_terminal, say, width

if TYPE_CHECKING:
    from gpuspec import Problem


def diff(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="The old state: a file, a folder, a git revision's (main:k8s), or - for "
            "standard input.",
        ),
    ],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The new state, in any form that OLD can have.")
    ],
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            "-c",
            "--cluster",
            metavar="PROFILE",
            help="Cluster profile that specs are rendered for: a file, a git revision's, or a "
            "built-in name. If given twice, the first is for OLD and the second for NEW. "
            "Default: the configuration's, else generic.",
            autocompletion=complete_profile,
        ),
    ] = None,
    format: Annotated[
        Literal["text", "markdown", "json"],
        typer.Option("--format", help="Format of the output."),
    ] = "text",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
    ] = None,
    fail_on: Annotated[
        Literal["any", "restart", "breaking"],
        typer.Option(
            "--fail-on",
            help="Exit with 1 from this weight up: any difference; pods that restart or stop; a "
            "rejected apply, a recreated object or data loss.",
        ),
    ] = "any",
) -> None:
    """Show what a change does to running pods: GPUs, restarts, refusals.

    Compares specs and manifests by object and field, regardless of order and formatting. Exits 1 if there are differences.

    \b
    Examples:
      gpuspec diff main:k8s k8s
      gpuspec diff main:specs specs -c clusters/eu.yaml --format markdown
      gpuspec diff HEAD~1: HEAD: --fail-on breaking
      kustomize build overlays/prod | gpuspec diff rendered -
    """
    import gpuspec
    from gpuspec import InputError, Problem
    from gpuspec.cli.codes import REFUSED, Stop
    from gpuspec.cli.compose import STDIN, missing
    from gpuspec.cli.scratch import scratch
    from gpuspec.report.diff import diff_report

    profile_names = cluster or []
    if [old, new, *profile_names].count(STDIN) > 1:
        message = "both inputs are standard input, which can be read only once"
        raise InputError([Problem(message, hint="name a file for one of them")])
    if STDIN in (old, new, *profile_names) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    if len(profile_names) > 2:
        hint = "both states use one profile; of two profiles, the first is for OLD"
        raise InputError([Problem(f"-c: {len(profile_names)} profiles", hint=hint)])
    # What has a colon may be a revision's.
    if gone := [path for path in (old, new) if ":" not in path and missing([path])]:
        raise InputError([_missing(path) for path in gone])
    with scratch():
        profiles = [gpuspec.cluster_profile(name) for name in profile_names]
        differences = gpuspec.diff(
            old,
            new,
            profile=profiles[-1] if profiles else None,
            old_profile=profiles[0] if profiles else None,
            tell=progress("comparing"),
        )
    if output is None:
        data(diff_report(differences, format, width=width(sys.stdout), color=color(sys.stdout)))
    else:
        gpuspec.write_file(output, diff_report(differences, format))
    if differences.reaches(fail_on):
        raise Stop(REFUSED)


def _missing(path: str) -> "Problem":
    """Return that a file or folder does not exist, with the revision of that name if there is one."""
    import gpuspec
    from gpuspec.cli.compose import missing

    (problem,) = missing([path])
    if gpuspec.names_revision(path):
        hint = f"Git has a revision of this name: write `{path}:` or `{path}:FOLDER`"
    else:
        hint = problem.hint or (
            "name a file, a folder, or a path of a git revision, such as main:k8s"
        )
    return gpuspec.Problem(problem.message, hint=hint)
