"""What `gpuspec cluster render` does."""

import sys
from typing import TYPE_CHECKING, Literal

from gpuspec.cli.codes import NOTHING, REFUSED, Stop
from gpuspec.cli.compose import STDIN
from gpuspec.cli.rendering import PLACEHOLDER, check_folder, write
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from gpuspec import Platform, Profile

Format = Literal["yaml", "json"]


def render_platform(path: str, output: str | None, format: Format) -> None:
    """Render a profile's platform to stdout or into a folder, and its notes to stderr.

    Raises `InputError`, before anything is printed or written. Exits 1 if `cluster check` finds an
    error, and 3 if the profile needs no object: Argo CD and Flux would delete the live objects
    after an empty output.
    """
    from gpuspec import platform

    check_folder(output)
    profile = _profile(path)
    message = f"profile {profile.name} needs no platform object"
    hint = "the profile has no namespaces, priorities, queues or shared pools"
    _give(platform(profile), profile, path, output, format, "platform", (message, hint))


def render_validation(path: str, output: str | None, format: Format) -> None:
    """Render the Jobs that validate a profile's nodes, in the same way."""
    from gpuspec import validation_jobs

    check_folder(output)
    profile = _profile(path)
    message = f"profile {profile.name} has no pool whose nodes can be validated"
    hint = "write validation: {image: …} for pools of NVIDIA's GPUs"
    if profile.spec.validation is None:
        message = f"profile {profile.name} does not say how nodes are validated"
        hint = "write validation: {image: …}"
    _give(validation_jobs(profile), profile, path, output, format, "validation", (message, hint))


def render_values(path: str, output: str | None, format: Format, *, validation: bool) -> None:
    """Print values for the GPU Operator's chart, which are one document and no object.

    Exits 3 if the profile changes none of the chart's defaults.
    """
    from gpuspec import InputError, Problem, operator_values

    if validation or output is not None:
        other_option = "--validation" if validation else "-o"
        text = f"--values prints one document, but {other_option} is for objects"
        raise InputError(
            [Problem(text, hint="run it twice, or redirect it: --values > values.yaml")]
        )
    profile = _profile(path)
    values = operator_values(profile, format)
    if not values:
        message = f"profile {profile.name} changes none of the chart's defaults"
        _nothing(message, "install the chart with its defaults")
        raise Stop(NOTHING)
    data(values)


def _give(
    platform: "Platform",
    profile: "Profile",
    path: str,
    output: str | None,
    format: Format,
    purpose: str,
    none: tuple[str, str],
) -> None:
    """Print or write objects, and print the notes; `purpose` tells runs of one profile apart."""
    from gpuspec import dump

    if not platform.objects:
        _nothing(*none)
        _say(platform)
        raise Stop(NOTHING)
    if output is None:
        data(dump(platform.objects, format))
    else:
        _write(platform, path, output.replace(PLACEHOLDER, profile.name), format, purpose)
    _say(platform)


def _nothing(message: str, hint: str) -> None:
    from gpuspec import Problem
    from gpuspec.report.problems import problems_text

    nothing = [Problem(message, hint=hint)]
    talk(problems_text(nothing, width=width(sys.stderr), color=color(sys.stderr)))


def _profile(path: str) -> "Profile":
    from gpuspec import InputError, Problem, load_profiles

    if path == STDIN and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    profiles = load_profiles(path)
    if len(profiles) > 1:
        names = ", ".join(profile.name for profile in profiles)
        hint = "name the file of one profile: a cluster has one platform"
        raise InputError([Problem(f"{path}: {len(profiles)} profiles ({names})", hint=hint)])
    _check(profiles[0])
    return profiles[0]


def _check(profile: "Profile") -> None:
    """Print the findings of `cluster check`, and stop with its exit code if one is an error."""
    from gpuspec import check_profile
    from gpuspec.report.profile_check import profile_summary, profile_text

    findings = check_profile(profile)
    if any(finding.severity == "error" for finding in findings):
        columns, paint = width(sys.stderr), color(sys.stderr)
        talk(profile_text(profile.name, findings, width=columns, color=paint))
        talk(profile_summary(profile.name, findings))
        raise Stop(REFUSED)


def _write(platform: "Platform", path: str, output: str, format: Format, purpose: str) -> None:
    from pathlib import Path

    from gpuspec import Folder, profile_names

    is_name = path == STDIN or path in profile_names()
    # The word tells this run from one that renders workloads for the same profile.
    inputs: list[str | Path] = [purpose, path if is_name else Path(path)]
    write([Folder(Path(output), platform.objects, inputs)], format)


def _say(platform: "Platform") -> None:
    from gpuspec.report.problems import remarks_text

    talk(remarks_text(platform.notes, width=width(sys.stderr), color=color(sys.stderr)))
