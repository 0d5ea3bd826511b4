"""`gpuspec explain`."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpuspec.cli.compose import Refusals, read_all, rendered_pairs
from gpuspec.cli.options import Clusters, Settings, Specs, Target, TemplatesFolder
from gpuspec.cli.terminal import WIDTH, color, data, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec import Explanation, Note, Rendering
    from gpuspec.report.about import Missing

    Explained = tuple[Rendering, Iterable[Explanation], Iterable[Note]]

NAMED = 8
"""How many fields an error names; the others are counted."""

_REQUIRED = "no value comes from this field of the spec alone, and the spec requires it"
_WHOLE = "without --path every value is shown"


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
            help="Explain only this field of an object, or the values that depend on this field of "
            "the spec: tolerations, securityContext.runAsUser, model.size.",
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
    all_renderings = [rendering for _, renderings in pairs.made for rendering in renderings]
    if all_renderings:
        explained: list[Explained] = [
            (rendering, rendering.explanations(), rendering.notes) for rendering in all_renderings
        ]
        _print(
            explained if path is None else _about(all_renderings, path, templates, target), format
        )
    if pairs.refused:
        raise Refusals([refusal for *_, refusal in pairs.refused], pairs.wanted, outcome="")


def _print(explained: "list[Explained]", format: str) -> None:
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


def _about(
    renderings: "list[Rendering]", path: str, templates: str | None, target: str | None
) -> "list[Explained]":
    """Return the decisions about a path, of each rendering that has any: of the objects' field, else
    of the spec's. Raises `InputError` for none."""
    from gpuspec import InputError, Problem
    from gpuspec.report.about import about, fields, missing

    direct = [(rendering, about(rendering.explanations(), path), ()) for rendering in renderings]
    if any(explanations for _, explanations, _ in direct):
        return [(rendering, some, ()) for rendering, some, _ in direct if some]
    if any(fields(rendering.resolution.workload.document.value, path) for rendering in renderings):
        if explained := [*_dependent(renderings, path, templates, target)]:
            return explained
        raise InputError([Problem(f"--path {path}: {_REQUIRED}", hint=_WHOLE)])
    gone = missing(
        [explanation for rendering in renderings for explanation in rendering.explanations()], path
    )
    raise InputError([Problem(f"--path {path}: {_none(gone)}", hint=_instead(gone))])


def _dependent(
    renderings: "list[Rendering]", path: str, templates: str | None, target: str | None
) -> "Iterator[Explained]":
    """Yield the decisions that depend on a field of the spec and on others, and a note that says so."""
    from pathlib import Path

    from gpuspec import explain_field
    from gpuspec.report.about import fields

    folder = None if templates is None else Path(templates)
    for rendering in renderings:
        workload, profile = rendering.resolution.workload, rendering.resolution.profile
        for field in fields(workload.document.value, path):
            explanations, notes = explain_field(workload, field, profile, folder, target)
            if notes:
                yield rendering, explanations, notes


def _none(gone: "Missing") -> str:
    if not gone.before:
        return "no such field in the rendered objects"
    return f"`{gone.before}` has no `{gone.word}` in the rendered objects"


def _instead(gone: "Missing") -> str:
    """Return the field that was probably meant, or else the fields that exist."""
    from gpuspec.cli.suggestions import nearest

    nearest_field = nearest(gone.word, gone.below or gone.every)
    if nearest_field is not None:
        return f"did you mean `{nearest_field}`?"
    if not gone.below:
        return "omit --path to see every field"
    more = len(gone.below) - NAMED
    field_names = ", ".join(gone.below[:NAMED])
    return (
        f"its fields are {field_names} and {more} more"
        if more > 0
        else f"its fields are {field_names}"
    )
