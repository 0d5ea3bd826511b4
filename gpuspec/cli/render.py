"""`gpuspec render`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gpuspec import InputError, Problem, Profile, Rendering, dump, write_folder
from gpuspec.cli.compose import read_all, renderings
from gpuspec.cli.options import Clusters, Format, Settings, Specs, TemplatesFolder
from gpuspec.cli.terminal import color, data, talk
from gpuspec.report.problems import notes_text

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
    _check_output(wanted.profiles, output)
    made = list(renderings(wanted, templates))
    if output is None:
        profile, found = made[0]
        text = dump([item for one in found for item in one.objects], format)
        _say(found)
        data(text)
        return
    for profile, found in made:
        _write(profile, found, output.replace(PLACEHOLDER, profile.name), specs, format)
        _say(found)


def _check_output(profiles: list[Profile], output: str | None) -> None:
    if len(profiles) > 1 and PLACEHOLDER not in (output or ""):
        names = ", ".join(profile.name for profile in profiles)
        raise InputError(
            [
                Problem(
                    f"{len(profiles)} profiles ({names}) and one output",
                    hint="write -o 'out/{profile}/', or name one profile",
                )
            ]
        )


def _write(
    profile: Profile, found: list[Rendering], folder: str, specs: list[str], format: Format
) -> None:
    objects = [item for one in found for item in one.objects]
    done = write_folder(Path(folder), objects, [*specs, "-c", profile.name], format)
    talk(
        f"{folder}: {len(done.written)} written, {len(done.unchanged)} unchanged, "
        f"{len(done.removed)} removed\n"
    )
    for name in done.kept:
        talk(f"note: {folder}/{name} is no longer made, but was changed by hand: kept\n")


def _say(found: list[Rendering]) -> None:
    notes = [(one.name, note) for one in found for note in one.notes]
    talk(notes_text(notes, color=color(sys.stderr)))
