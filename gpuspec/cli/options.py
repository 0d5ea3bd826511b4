"""Options that several commands share."""

from typing import Annotated, Literal

import typer

from gpuspec.cli.completing import complete_profile, complete_setting, complete_target

Policy = Literal["least-allocated", "most-allocated", "best-fit", "fgd"]
"""How `fit` scores nodes."""

Specs = Annotated[
    list[str],
    typer.Argument(metavar="SPEC...", help="Spec files, folders of them, or - for standard input."),
]
Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH...]",
        help="Manifests and specs: files, folders of them, or - for standard input. Default: this folder.",
        show_default=False,
    ),
]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration. Default: the nearest .gpuspec.yaml or pyproject.toml above the first PATH.",
    ),
]
ForceExclude = Annotated[
    bool,
    typer.Option(
        "--force-exclude",
        help="Skip what the configuration excludes, even if it is named.",
    ),
]
AllowEmpty = Annotated[
    bool,
    typer.Option("--allow-empty", help="Exit with 0 instead of 3 if there is nothing to read."),
]
Clusters = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, a folder of several, or a built-in name (generic, aks, "
        "coreweave, eks, eks-auto, gke, gpu-operator, openshift). Repeatable. "
        "Default: generic.",
        autocompletion=complete_profile,
    ),
]
FleetCluster = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile with pools: a file, or a built-in name. Default: the "
        "configuration's. Needed unless --live gives the nodes.",
        autocompletion=complete_profile,
    ),
]
FleetClusters = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile with pools: a file, a folder of several, or a built-in name. "
        "Repeatable: each answer names its profile. Default: the configuration's. Needed unless "
        "--live gives the nodes.",
        autocompletion=complete_profile,
    ),
]
OneCluster = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, or a built-in name. Default: the configuration's.",
        autocompletion=complete_profile,
    ),
]
SomeClusters = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, a folder of several, or a built-in name. Repeatable: "
        "each answer names its profile. Default: the configuration's, else none: "
        "checks that need one are skipped.",
        autocompletion=complete_profile,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME:PATH=VALUE",
        help="Set a field of workload NAME, checked like the spec. Repeatable.",
        autocompletion=complete_setting,
    ),
]
TemplatesFolder = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        help="Folder with templates that replace the shipped ones, file by file.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="API that runs the workloads (job, jobset …), regardless of specs and profile.",
        autocompletion=complete_target,
    ),
]
Format = Annotated[Literal["yaml", "json"], typer.Option("--format", help="Format of the output.")]
