"""`gpuspec table`."""

import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.compose import STDIN, missing, nothing, several_profiles
from gpuspec.cli.options import AllowEmpty, ConfigFile, ForceExclude, Paths, SomeClusters
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import color, data, is_terminal, say, width


def table(
    paths: Paths = None,
    cluster: SomeClusters = None,
    format: Annotated[
        Literal["text", "json", "markdown", "csv"],
        typer.Option("--format", help="Format of the output."),
    ] = "text",
    config: ConfigFile = None,
    force_exclude: ForceExclude = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Add up the requests of workloads: GPUs, CPU, memory, replicas.

    \b
    Examples:
      gpuspec table k8s/
      gpuspec table specs/ -c clusters/eu.yaml --format csv
    """
    import gpuspec
    from gpuspec import InputError
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import table as report

    paths = paths or ["."]
    if STDIN in (*paths, *(cluster or ())) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    if problems := missing(paths):
        raise InputError(problems)
    slice_table = gpuspec.table(
        *paths,
        profile=several_profiles(cluster),
        config=config,
        force_exclude=force_exclude,
        tell=progress("adding up"),
    )
    if not (slice_table.documents or slice_table.notes or allow_empty):
        nothing(paths)
    if format == "json":
        data(json_text(report.table_json(slice_table)))
    elif format == "markdown":
        data(report.table_markdown(slice_table))
    elif format == "csv":
        data(report.table_csv(slice_table))
    else:
        data(report.table_text(slice_table, width=width(sys.stdout), color=color(sys.stdout)))
