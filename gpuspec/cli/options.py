"""Options that several commands share, described once."""

from typing import Annotated, Literal

import typer

Specs = Annotated[
    list[str],
    typer.Argument(metavar="SPEC...", help="Spec files, folders of them, or - for standard input."),
]
Clusters = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, a folder of several, or a built-in name. Default: generic.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME:PATH=VALUE",
        help="Set a field of workload NAME, checked like the spec. Repeatable.",
    ),
]
TemplatesFolder = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        help="Folder whose templates shadow the shipped ones, file by file.",
    ),
]
Format = Annotated[Literal["yaml", "json"], typer.Option("--format", help="Format of the output.")]
