"""The notes that `gpuspec render` prints on stderr when it has finished: stdout is data."""

import sys
from typing import TYPE_CHECKING

from gpuspec.cli.compose import STDIN
from gpuspec.cli.terminal import color, talk, width

if TYPE_CHECKING:
    from gpuspec import Note, Profile, Rendering

    Made = list[tuple[Profile, list[Rendering]]]


def say_notes(made: "Made") -> None:
    """Print the notes of each workload, except assumptions, which `say_afterwards` sums up."""
    notes = [(subject, note) for subject, note in _notes(made) if note.loud and not note.assumed]
    if notes:
        from gpuspec.report.problems import notes_text

        talk(notes_text(notes, width=width(sys.stderr), color=color(sys.stderr)))


def say_afterwards(made: "Made", next: list[str]) -> None:
    """Print the profiles, the assumptions, the objects that must exist, and the next commands."""
    from gpuspec import needed
    from gpuspec.report.afterwards import Afterwards, afterwards_text

    several = sum(len(renderings) for _, renderings in made) > 1
    assumed: dict[str, list[str]] = {}
    for subject, note in _notes(made):
        if note.assumed:
            assumed.setdefault(note.text, []).extend([subject] if several else [])
    afterwards = Afterwards(
        [(profile.name, _file(profile)) for profile, _ in made],
        list(assumed.items()),
        needed(rendering for _, renderings in made for rendering in renderings),
        next,
    )
    talk(afterwards_text(afterwards, width=width(sys.stderr), color=color(sys.stderr)))


def next_steps(asked: list[str], folders: list[str] | None) -> list[str]:
    """Return commands that apply the output, printed or written into these folders, and explain it."""
    from shlex import join

    steps = ["pipe it into kubectl apply -f -"]
    if folders is not None:
        steps = [join(["kubectl", "apply", "-f", f"{folders[0].rstrip('/')}/"])]
        if len(folders) > 1:
            steps = [f"apply each folder to its cluster, such as {steps[0]}"]
    if STDIN not in asked:
        steps.append(join(["gpuspec", "explain", *asked]) + " says why")
    return steps


def words(
    specs: list[str],
    cluster: list[str] | None,
    settings: list[str] | None,
    templates: str | None,
    target: str | None,
) -> list[str]:
    """Return the command line that asks another command for the same objects."""
    named = {"-c": cluster, "--set": settings}
    given = {"--templates": templates, "--target": target}
    return [
        *specs,
        *(
            word
            for option, values in named.items()
            for value in values or ()
            for word in (option, value)
        ),
        *(word for option, one in given.items() if one is not None for word in (option, one)),
    ]


def _notes(made: "Made") -> "list[tuple[str, Note]]":
    several = len(made) > 1
    return [
        (f"{rendering.name} on {profile.name}" if several else rendering.name, note)
        for profile, renderings in made
        for rendering in renderings
        for note in rendering.notes
    ]


def _file(profile: "Profile") -> str | None:
    place = profile.place(())
    return None if place is None else place.file
