"""From arguments to renderings: everything is read and rendered before anything is written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from gpuspec import InputError, Problem, Profile, Refusal, Rendering, Workload, load, load_profiles
from gpuspec import render as render_one
from gpuspec.cli.terminal import talk

NOTHING_RENDERED = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a command was asked for."""

    workloads: list[Workload]
    profiles: list[Profile]


def read_all(specs: list[str], clusters: list[str] | None, settings: list[str] | None) -> Wanted:
    """Specs and profiles. Raises `InputError` with the problems of both; exits 3 without a spec."""
    problems: list[Problem] = []
    workloads: list[Workload] = []
    profiles: list[Profile] = []
    try:
        workloads = load(*specs, settings=settings or ())
    except InputError as error:
        problems += error.problems
    try:
        profiles = load_profiles(*(clusters or ()))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    if not workloads:
        talk(f"error: no gpuspec workload in {' '.join(specs)}\n")
        talk("  a spec begins with apiVersion: gpuspec.dev/v1alpha1; see gpuspec init\n")
        raise typer.Exit(NOTHING_RENDERED)
    return Wanted(workloads, profiles)


def renderings(wanted: Wanted, templates: str | None) -> Iterator[tuple[Profile, list[Rendering]]]:
    """The renderings of each profile.

    Raises `InputError` with all problems, else `Refusals` with all refusals.
    """
    problems: dict[Problem, None] = {}
    refused: list[Refusal] = []
    done: list[tuple[Profile, list[Rendering]]] = []
    folder = Path(templates) if templates is not None else None
    for profile in wanted.profiles:
        made: list[Rendering] = []
        for workload in wanted.workloads:
            try:
                made.append(render_one(workload, profile, folder))
            except InputError as error:
                problems |= dict.fromkeys(error.problems)
            except Refusal as refusal:
                refused.append(refusal)
        done.append((profile, made))
    if problems:
        raise InputError(problems)
    if refused:
        raise Refusals(refused)
    yield from done


class Refusals(Exception):
    """Refusals of several workloads or profiles."""

    def __init__(self, refusals: list[Refusal]) -> None:
        self.refusals = refusals
        super().__init__(str(refusals))
