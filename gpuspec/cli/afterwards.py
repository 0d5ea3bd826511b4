"""The notes that `gpuspec render` prints on stderr when it has finished: stdout is data."""

import sys
from typing import TYPE_CHECKING

from gpuspec.cli.compose import STDIN
from gpuspec.cli.terminal import color, talk, width

if TYPE_CHECKING:
    from gpuspec import Note, Profile, Rendering

    Made = list[tuple[Profile, list[Rendering]]]


def say_notes(pairs: "Made") -> None:
    """Print the notes of each workload, except assumptions, which `say_afterwards` sums up."""
    notes = [(subject, note) for subject, note in _notes(pairs) if note.loud and not note.assumed]
    if notes:
        from gpuspec.report.problems import notes_text

        talk(notes_text(notes, width=width(sys.stderr), color=color(sys.stderr)))


def say_afterwards(pairs: "Made", next: list[str]) -> None:
    """Print the profiles, the assumptions, the objects that must exist, and the next commands."""
    from gpuspec import needed
    from gpuspec.report.afterwards import Afterwards, afterwards_text

    several = sum(len(renderings) for _, renderings in pairs) > 1
    assumed: dict[str, list[str]] = {}
    for subject, note in _notes(pairs):
        if note.assumed:
            assumed.setdefault(note.text, []).extend([subject] if several else [])
    afterwards = Afterwards(
        [(profile.name, _file(profile)) for profile, _ in pairs],
        list(assumed.items()),
        needed(rendering for _, renderings in pairs for rendering in renderings),
        next,
    )
    talk(afterwards_text(afterwards, width=width(sys.stderr), color=color(sys.stderr)))


def next_steps(arguments: list[str], folders: list[str] | None) -> list[str]:
    """Return commands that apply the output, printed or written into these folders, and explain it."""
    from shlex import join

    steps = ["pipe it into kubectl apply -f -"]
    if folders is not None:
        steps = [join(["kubectl", "apply", "-f", f"{folders[0].rstrip('/')}/"])]
        if len(folders) > 1:
            steps = [f"apply each folder to its cluster, such as {steps[0]}"]
    if STDIN not in arguments:
        steps.append(join(["gpuspec", "explain", *arguments]) + " says why")
    return steps


def words(
    specs: list[str],
    cluster: list[str] | None,
    settings: list[str] | None,
    templates: str | None,
    target: str | None,
) -> list[str]:
    """Return the command line that asks another command for the same objects."""
    repeatable = {"-c": cluster, "--set": settings}
    single = {"--templates": templates, "--target": target}
    return [
        *specs,
        *(
            word
            for option, values in repeatable.items()
            for value in values or ()
            for word in (option, value)
        ),
        *(
            word
            for option, option_value in single.items()
            if option_value is not None
            for word in (option, option_value)
        ),
    ]


def _notes(pairs: "Made") -> "list[tuple[str, Note]]":
    several = len(pairs) > 1
    return [
        (f"{rendering.name} on {profile.name}" if several else rendering.name, note)
        for profile, renderings in pairs
        for rendering in renderings
        for note in rendering.notes
    ]


def _file(profile: "Profile") -> str | None:
    place = profile.place(())
    return None if place is None else place.file
