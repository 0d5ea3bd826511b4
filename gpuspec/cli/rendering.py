"""What `gpuspec render` does, once its arguments are known."""

import sys
from typing import TYPE_CHECKING, Literal

from gpuspec.cli.compose import STDIN, Wanted, read_all, renderings
from gpuspec.cli.terminal import color, data, talk, width

if TYPE_CHECKING:
    from gpuspec import Profile, Rendering

PLACEHOLDER = "{profile}"
Format = Literal["yaml", "json"]


def render_specs(
    specs: list[str],
    cluster: list[str] | None = None,
    output: str | None = None,
    format: Format = "yaml",
    settings: list[str] | None = None,
    templates: str | None = None,
) -> None:
    """Render specs to stdout or into folders.

    Raises `InputError` or `Refusals`; nothing is printed or written then.
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
