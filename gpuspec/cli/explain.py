"""`gpuspec explain`."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuspec.cli.compose import Refusals, read_all, rendered_pairs
from gpuspec.cli.options import Clusters, Settings, Specs, Target, TemplatesFolder
from gpuspec.cli.terminal import WIDTH, color, data, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec import Explanation, Note, Rendering
    from gpuspec.report.about import Missing

    Told = tuple[Rendering, Iterable[Explanation], Iterable[Note]]

NAMED = 8
"""How many fields an error names; the others are counted."""

_SHARED = "no value comes only from this field of the spec"
_WHOLE = "values computed from several fields name a table or a derivation: omit --path to see all"


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
            help="Explain only this field of an object, or the values that come only from this "
            "field of the spec: tolerations, securityContext.runAsUser, gpu.count.",
        ),
    ] = None,
    settings: Settings = None,
    templates: TemplatesFolder = None,
    target: Target = None,
) -> None:
    """Explain each value: its reason and its origin.

    The brackets name the field of the spec or profile with its line, a table, or a derivation. docs/derivations.md describes each table and derivation.

    \b
    Examples:
      gpuspec explain chat.yaml -c clusters/eu.yaml | less
      gpuspec explain chat.yaml --path tolerations
      gpuspec explain chat.yaml --format json | jq '.[].decisions[].reason'
    """
    compose_request = read_all(specs, cluster, settings)
    pairs = rendered_pairs(compose_request, templates, target)
    made = [rendering for _, renderings in pairs.made for rendering in renderings]
    if made:
        explained: list[Told] = [
            (rendering, rendering.explanations(), rendering.notes) for rendering in made
        ]
        _print(explained if path is None else _about(made, path), format)
    if pairs.refused:
        raise Refusals([refusal for *_, refusal in pairs.refused], pairs.wanted, outcome="")


def _print(explained: "list[Told]", format: str) -> None:
    """Print the decisions of each rendering, with their reasons."""
    from gpuspec.report.explain import explain_json, explain_text

    if format == "json":
        from gpuspec.escaping.formats import json_text

        parts = [
            explain_json(rendering.name, rendering.profile_name, explanations, notes)
            for rendering, explanations, notes in explained
        ]
        data(json_text(parts))
        return
    texts = [
        explain_text(
            f"{rendering.kind} {rendering.name} on {rendering.profile_name}",
            explanations,
            notes,
            width=width(sys.stdout) or WIDTH,
            color=color(sys.stdout),
        )
        for rendering, explanations, notes in explained
    ]
    data("\n".join(texts))


def _about(renderings: "list[Rendering]", path: str) -> "list[Told]":
    """Return the decisions about a path, of each rendering that has any. Raises `InputError` if
    there are none.
    """
    from gpuspec import InputError, Problem
    from gpuspec.report.about import about, is_within, missing

    explanations = [(rendering, about(rendering.explanations(), path)) for rendering in renderings]
    if not any(some for _, some in explanations):
        if any(
            is_within(rendering.resolution.workload.document.value, path)
            for rendering in renderings
        ):
            raise InputError([Problem(f"--path {path}: {_SHARED}", hint=_WHOLE)])
        gone = missing(
            [explanation for rendering in renderings for explanation in rendering.explanations()],
            path,
        )
        raise InputError([Problem(f"--path {path}: {_none(gone)}", hint=_instead(gone))])
    return [(rendering, some, ()) for rendering, some in explanations if some]


def _none(gone: "Missing") -> str:
    if not gone.before:
        return "no such field in the rendered objects"
    return f"`{gone.before}` has no `{gone.word}` in the rendered objects"


def _instead(gone: "Missing") -> str:
    """Return the field that was probably meant, or else the fields that exist."""
    from gpuspec.cli.suggestions import nearest

    meant = nearest(gone.word, gone.below or gone.every)
    if meant is not None:
        return f"did you mean `{meant}`?"
    if not gone.below:
        return "omit --path to see every field"
    more = len(gone.below) - NAMED
    named = ", ".join(gone.below[:NAMED])
    return f"its fields are {named} and {more} more" if more > 0 else f"its fields are {named}"
