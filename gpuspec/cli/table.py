"""`gpuspec table`."""

import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.compose import STDIN, missing, one_profile
from gpuspec.cli.options import OneCluster
from gpuspec.cli.terminal import color, data, is_terminal, say, width


def table(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Manifests and specs: files, folders of them, or - for standard input.",
        ),
    ],
    cluster: OneCluster = None,
    format: Annotated[
        Literal["text", "json", "markdown", "csv"],
        typer.Option("--format", help="Format of the output."),
    ] = "text",
) -> None:
    """Add up what workloads ask for: GPUs, CPU, memory, replicas.

    \b
    Examples:
      gpuspec table k8s/
      gpuspec table specs/ -c clusters/eu.yaml --format csv
    """
    import gpuspec
    from gpuspec import InputError
    from gpuspec.escaping.formats import json_text
    from gpuspec.report import table as report

    if STDIN in (*paths, *(cluster or ())) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    if problems := missing(paths):
        raise InputError(problems)
    found = gpuspec.table(*paths, profile=one_profile(cluster))
    if format == "json":
        data(json_text(report.table_json(found)))
    elif format == "markdown":
        data(report.table_markdown(found))
    elif format == "csv":
        data(report.table_csv(found))
    else:
        data(report.table_text(found, width=width(sys.stdout), color=color(sys.stdout)))
