"""`gpuspec explain`."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuspec.cli.compose import read_all, renderings
from gpuspec.cli.options import Clusters, Settings, Specs, Target, TemplatesFolder
from gpuspec.cli.terminal import WIDTH, color, data, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec import Decision, Note, Rendering

    Told = tuple[Rendering, Iterable[Decision], Iterable[Note]]


def explain(
    specs: Specs,
    cluster: Clusters = None,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="Format of the output.")
    ] = "text",
    path: Annotated[
        str | None,
        typer.Option(
            "--path",
            metavar="PATH",
            help="Only what is about this field: tolerations, securityContext.runAsUser.",
        ),
    ] = None,
    settings: Settings = None,
    templates: TemplatesFolder = None,
    target: Target = None,
) -> None:
    """Explain each value: the reason, and where it came from.

    \b
    Examples:
      gpuspec explain chat.yaml -c clusters/eu.yaml | less
      gpuspec explain chat.yaml --path tolerations
      gpuspec explain chat.yaml --format json | jq '.[].decisions[].reason'
    """
    from gpuspec.report.explain import explain_json, explain_text

    wanted = read_all(specs, cluster, settings)
    made = [one for _, found in renderings(wanted, templates, target) for one in found]
    told = _about(made, path) if path is not None else [(o, o.decisions(), o.notes) for o in made]
    if format == "json":
        from gpuspec.escaping.formats import json_text

        parts = [
            explain_json(one.name, one.profile_name, decisions, notes)
            for one, decisions, notes in told
        ]
        data(json_text(parts))
        return
    texts = [
        explain_text(
            f"{one.kind} {one.name} on {one.profile_name}",
            decisions,
            notes,
            width=width(sys.stdout) or WIDTH,
            color=color(sys.stdout),
        )
        for one, decisions, notes in told
    ]
    data("\n".join(texts))


def _about(made: "list[Rendering]", path: str) -> "list[Told]":
    """The decisions about a path, of each rendering that has any. Raises `InputError` for none."""
    from gpuspec import InputError, Problem
    from gpuspec.cli.words import choice
    from gpuspec.report.about import about, names, steps

    found = [(one, about(one.decisions(), path)) for one in made]
    if not any(some for _, some in found):
        last = steps(path)[-1:] or (path,)
        known = names(decision for one in made for decision in one.decisions())
        meant = choice(last[0], known)
        hint = meant if meant.startswith("did") else "without --path every field is shown"
        raise InputError([Problem(f"--path {path}: no field of what was rendered", hint=hint)])
    return [(one, some, ()) for one, some in found if some]
