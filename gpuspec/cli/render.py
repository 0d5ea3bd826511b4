"""`gpuspec render`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gpuspec.cli.compose import STDIN, Wanted, read_all, renderings
from gpuspec.cli.options import Clusters, Format, Settings, Specs, TemplatesFolder
from gpuspec.cli.terminal import color, data, talk, width

if TYPE_CHECKING:
    from gpuspec import Profile, Rendering

PLACEHOLDER = "{profile}"


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
) -> None:
    """Render specs as Kubernetes manifests.

    \b
    Examples:
      gpuspec render chat.yaml
      gpuspec render specs/ -c clusters/eu.yaml -o out/
      gpuspec render specs/ -c clusters/ -o 'out/{profile}/'
      kustomize build overlay | gpuspec render - --set chat:replicas=3
    """
    wanted = read_all(specs, cluster, settings)
    _check_output(wanted, output)
    made = renderings(wanted, templates)
    if output is None:
        _print(made[0][1], format)
    else:
        _write(made, output, specs, format)
    _say(made)


def _check_output(wanted: Wanted, output: str | None) -> None:
    """Raise `InputError` for several profiles in one place, and for a place that is none."""
    from gpuspec import InputError, Problem

    names = [profile.name for profile in wanted.profiles]
    rest = (output or "").replace(PLACEHOLDER, "")
    if output == "":
        raise InputError([Problem("-o: the name of the folder is empty")])
    if "{" in rest or "}" in rest:
        hint = f"only {PLACEHOLDER} is replaced, by the profile's name"
        raise InputError([Problem(f"-o {output}: a placeholder that is not known", hint=hint)])
    if len(names) > 1 and PLACEHOLDER not in (output or ""):
        text = f"{len(names)} profiles ({', '.join(names)}) and one output"
        hint = f"write -o 'out/{PLACEHOLDER}/' for a folder each, or name one profile with -c"
        raise InputError([Problem(text, hint=hint)])


def _print(found: "list[Rendering]", format: Format) -> None:
    from gpuspec import dump

    data(dump([item for one in found for item in one.objects], format))


def _write(
    made: "list[tuple[Profile, list[Rendering]]]", output: str, specs: list[str], format: Format
) -> None:
    from pathlib import Path

    from gpuspec import write_folders

    paths = [spec if spec == STDIN else Path(spec) for spec in specs]
    folders = [Path(output.replace(PLACEHOLDER, profile.name)) for profile, _ in made]
    outputs = [
        (folder, [item for one in found for item in one.objects], [*paths, profile.name])
        for folder, (profile, found) in zip(folders, made, strict=True)
    ]
    for folder, done in zip(folders, write_folders(outputs, format), strict=True):
        counts = {"written": done.written, "unchanged": done.unchanged, "removed": done.removed}
        said = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
        talk(f"{folder}/: {said}\n")
        for name in done.kept:
            talk(f"note: {folder / name} is no longer made, but was edited by hand: kept\n")


def _say(made: "list[tuple[Profile, list[Rendering]]]") -> None:
    several = len(made) > 1
    notes = [
        (f"{one.name} on {profile.name}" if several else one.name, note)
        for profile, found in made
        for one in found
        for note in one.notes
        if note.loud
    ]
    if notes:
        from gpuspec.report.problems import notes_text

        talk(notes_text(notes, width=width(sys.stderr), color=color(sys.stderr)))
