"""`gpuspec explain`."""

import json
import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.compose import read_all, renderings
from gpuspec.cli.options import Clusters, Settings, Specs, TemplatesFolder
from gpuspec.cli.terminal import color, data, width
from gpuspec.report.explain import explain_json, explain_text


def explain(
    specs: Specs,
    cluster: Clusters = None,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="Format of the output.")
    ] = "text",
    settings: Settings = None,
    templates: TemplatesFolder = None,
) -> None:
    """Explain each decision: the field, the value, the reason, where it came from.

    \b
    Examples:
      gpuspec explain chat.yaml -c clusters/eu.yaml
      gpuspec explain chat.yaml --format json | jq '.[].decisions[].reason'
    """
    wanted = read_all(specs, cluster, settings)
    made = [one for _, found in renderings(wanted, templates) for one in found]
    if format == "json":
        parts = [
            explain_json(one.name, one.profile_name, one.decisions(), one.notes) for one in made
        ]
        data(json.dumps(parts, indent=2, ensure_ascii=False) + "\n")
        return
    texts = [
        explain_text(
            f"{one.kind} {one.name} on {one.profile_name}",
            one.decisions(),
            one.notes,
            width=width(),
            color=color(sys.stdout),
        )
        for one in made
    ]
    data("\n".join(texts))
