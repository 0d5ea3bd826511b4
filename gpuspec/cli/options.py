"""Options that several commands share, described once."""

from typing import Annotated, Literal

import typer

Policy = Literal["least-allocated", "most-allocated", "best-fit", "fgd"]
"""How `fit` scores nodes."""


def complete_profile(incomplete: str) -> list[str]:
    """Built-in names and, beside them, profiles' files; the shell completes files alone itself."""
    from pathlib import Path

    from gpuspec import profile_names
    from gpuspec.escaping.characters import shows

    names = [name for name in profile_names() if name.startswith(incomplete)]
    if not names:
        return []
    files = sorted(
        f"{path}/" if path.is_dir() else str(path)
        for path in Path().glob(f"{incomplete}*" if incomplete else "[!.]*")
        if (path.is_dir() or path.suffix in (".yaml", ".yml")) and shows(path.name)
    )
    return [*names, *files]


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
        help="Leave out what the configuration excludes, even where it is named.",
    ),
]
AllowEmpty = Annotated[
    bool,
    typer.Option(
        "--allow-empty", help="Exit with 0, and not with 3, where there is nothing to read."
    ),
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
OneCluster = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, or a built-in name. Default: the configuration's, else none: "
        "what nobody can know without one is left open.",
        autocompletion=complete_profile,
    ),
]
SomeClusters = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--cluster",
        metavar="PROFILE",
        help="Cluster profile: a file, a folder of several, or a built-in name. Repeatable: each "
        "answer says for which. Default: the configuration's, else none: what nobody can know "
        "without one is left open.",
        autocompletion=complete_profile,
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
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="API that carries the workloads (job, jobset …), whatever specs and profile say.",
    ),
]
Format = Annotated[Literal["yaml", "json"], typer.Option("--format", help="Format of the output.")]
