"""`gpuspec explain`."""

import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.compose import read_all, renderings
from gpuspec.cli.options import Clusters, Settings, Specs, Target, TemplatesFolder
from gpuspec.cli.terminal import WIDTH, color, data, width


def explain(
    specs: Specs,
    cluster: Clusters = None,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="Format of the output.")
    ] = "text",
    settings: Settings = None,
    templates: TemplatesFolder = None,
    target: Target = None,
) -> None:
    """Explain each value: the reason, and where it came from.

    \b
    Examples:
      gpuspec explain chat.yaml -c clusters/eu.yaml | less
      gpuspec explain chat.yaml --format json | jq '.[].decisions[].reason'
    """
    from gpuspec.report.explain import explain_json, explain_text

    wanted = read_all(specs, cluster, settings)
    made = [one for _, found in renderings(wanted, templates, target) for one in found]
    if format == "json":
        from gpuspec.escaping.formats import json_text

        parts = [
            explain_json(one.name, one.profile_name, one.decisions(), one.notes) for one in made
        ]
        data(json_text(parts))
        return
    texts = [
        explain_text(
            f"{one.kind} {one.name} on {one.profile_name}",
            one.decisions(),
            one.notes,
            width=width(sys.stdout) or WIDTH,
            color=color(sys.stdout),
        )
        for one in made
    ]
    data("\n".join(texts))
