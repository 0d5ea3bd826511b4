"""What `gpuspec cluster render` does."""

import sys
from typing import TYPE_CHECKING, Literal

from gpuspec.cli.codes import NOTHING, Stop
from gpuspec.cli.compose import STDIN
from gpuspec.cli.rendering import PLACEHOLDER, say_written
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from gpuspec import Platform, Profile


def render_platform(path: str, output: str | None, format: Literal["yaml", "json"]) -> None:
    """Render a profile's platform to stdout or into a folder, and its notes to stderr.

    Raises `InputError`, before anything is printed or written. Exits 3 where the profile asks for
    no object: an empty answer would have a GitOps host delete what is there.
    """
    from gpuspec import InputError, Problem, dump, platform

    if output == "":
        raise InputError([Problem("-o: the name of the folder is empty")])
    profile = _profile(path)
    made = platform(profile)
    if not made.objects:
        from gpuspec.report.problems import problems_text

        said = f"profile {profile.name} asks for no object of the platform"
        hint = "it has no namespaces, priorities, queues or shared pools"
        nothing = [Problem(said, hint=hint)]
        talk(problems_text(nothing, width=width(sys.stderr), color=color(sys.stderr)))
        _say(made)
        raise Stop(NOTHING)
    if output is None:
        data(dump(made.objects, format))
    else:
        _write(made, path, output.replace(PLACEHOLDER, profile.name), format)
    _say(made)


def _profile(path: str) -> "Profile":
    from gpuspec import InputError, Problem, load_profiles

    if path == STDIN and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    profiles = load_profiles(path)
    if len(profiles) > 1:
        names = ", ".join(profile.name for profile in profiles)
        hint = "a cluster has one platform: name the file of one profile"
        raise InputError([Problem(f"{path}: {len(profiles)} profiles ({names})", hint=hint)])
    return profiles[0]


def _write(made: "Platform", path: str, output: str, format: Literal["yaml", "json"]) -> None:
    from pathlib import Path

    from gpuspec import profile_names, write_folder
    from gpuspec.cli.scratch import scratch

    named = path == STDIN or path in profile_names()
    # The word tells this run from one that renders workloads for the same profile.
    inputs: list[str | Path] = ["platform", path if named else Path(path)]
    with scratch():
        written = write_folder(Path(output), made.objects, inputs, format)
    say_written(Path(output), written)


def _say(made: "Platform") -> None:
    from gpuspec.report.problems import remarks_text

    talk(remarks_text(made.notes, width=width(sys.stderr), color=color(sys.stderr)))
