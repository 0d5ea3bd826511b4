"""`gpuspec render`."""

from typing import Annotated

import typer

from gpuspec.cli.options import Clusters, Format, Settings, Specs, Target, TemplatesFolder
from gpuspec.cli.rendering import render_specs


def render(
    specs: Specs,
    cluster: Clusters = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write a folder, one file per object. {profile} stands for the profile's name.",
        ),
    ] = None,
    format: Format = "yaml",
    settings: Settings = None,
    templates: TemplatesFolder = None,
    target: Target = None,
    no_lint: Annotated[
        bool, typer.Option("--no-lint", help="Skip linting the rendered objects.")
    ] = False,
    skip_refused: Annotated[
        bool,
        typer.Option(
            "--skip-refused",
            help="Write the workloads that can run, keep the earlier output of refused ones, and "
            "exit with 1. Needs -o. Default: write nothing if one is refused.",
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare only: exit with 1 if the folder differs.")
    ] = False,
) -> None:
    """Render specs as Kubernetes manifests.

    \b
    Examples:
      gpuspec render chat.yaml
      gpuspec render specs/ -c clusters/eu.yaml -o out/
      gpuspec render specs/ -c clusters/ -o 'out/{profile}/' --skip-refused
      kustomize build overlay | gpuspec render - --set chat:replicas=3
    """
    render_specs(
        specs, cluster, output, format, settings, templates, target, no_lint, check, skip_refused
    )
