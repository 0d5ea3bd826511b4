"""From arguments to renderings: everything is read and rendered before anything is written."""

import os
import sys
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from gpuspec.cli.codes import NOTHING, Stop
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import is_terminal, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gpuspec import Problem, Profile, Refusal, Rendering, Workload

STDIN = "-"


class ComposeRequest:
    """The arguments of a command."""

    def __init__(
        self, workloads: "list[Workload]", profiles: "list[Profile]", *, has_named_profiles: bool
    ) -> None:
        self.workloads = workloads
        self.profiles = profiles
        self.has_named_profiles = has_named_profiles
        """Whether the user named the profiles, or a default stands in for them."""


def read_all(
    specs: list[str],
    clusters: list[str] | None,
    settings: list[str] | None,
    option: str = "--set",
) -> ComposeRequest:
    """Return specs and profiles; a problem names a setting by its option. Raises `InputError` with
    the problems of both; exits 3 without a spec.
    """
    from gpuspec import InputError, Problem, load, load_profiles

    if STDIN in specs and STDIN in (clusters or ()):
        message = "specs and profile both from standard input, which can be read only once"
        raise InputError([Problem(message, hint="name a file for one of them")])
    if STDIN in (*specs, *(clusters or ())) and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    problems = missing(specs)
    workloads: list[Workload] = []
    profiles: list[Profile] = []
    try:
        # A setting names a workload, which may stand in a file that is not there.
        workloads = load(*specs, settings=settings or (), option=option) if not problems else []
    except InputError as error:
        problems += error.problems
    try:
        profiles = load_profiles(*(clusters or ()))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    if not workloads:
        where = ", ".join("standard input" if spec == STDIN else spec for spec in specs)
        say(f"error: no gpuspec workload in {where}")
        say(
            "  a spec begins with apiVersion: gpuspec.dev/v1alpha1; to write one: "
            "gpuspec init inference"
        )
        raise Stop(NOTHING)
    return ComposeRequest(workloads, profiles, has_named_profiles=bool(clusters))


def nothing(paths: "Sequence[str]") -> NoReturn:
    """End a run without input. Raises `Stop` with its exit code."""
    where = ", ".join("standard input" if path == STDIN else path for path in paths)
    say(f"error: nothing to work on in {where}: no Kubernetes object and no gpuspec spec")
    if STDIN in paths:
        say("  the command before the pipe may have failed; to exit with 0: --allow-empty")
    else:
        say("  name a folder or file that has one; to exit with 0: --allow-empty")
    raise Stop(NOTHING)


def several_profiles(cluster: "Sequence[str] | None") -> "list[Profile]":
    """Return the profiles that `-c` names; None without `-c`. Raises `InputError`."""
    if not cluster:
        return []
    from gpuspec import load_profiles

    return load_profiles(*cluster)


def one_profile(cluster: "Sequence[str] | None") -> "Profile | None":
    """Return the profile that `-c` names; None without `-c`. Raises `InputError` for several."""
    if not cluster:
        return None
    from gpuspec import InputError, Problem, load_profiles

    profiles = load_profiles(*cluster)
    if len(profiles) > 1:
        names = ", ".join(profile.name for profile in profiles)
        hint = "run the command once for each profile: its result is about one cluster"
        raise InputError([Problem(f"-c: {len(profiles)} profiles ({names})", hint=hint)])
    return profiles[0]


def missing(specs: "Sequence[str]") -> "list[Problem]":
    """Return a problem for each file that does not exist, with a neighbour of a similar name."""
    # Pathlib takes its time, and as a rule nothing is missing.
    gone = [spec for spec in specs if spec != STDIN and not os.path.exists(spec)]
    return [_missing(spec) for spec in gone]


def _missing(spec: str) -> "Problem":
    from pathlib import Path

    from gpuspec import Problem

    path = Path(spec)
    # Endings are alike: only what stands before them says which file was meant.
    from gpuspec.cli.suggestions import nearest

    beside = {p.stem: p for p in path.parent.glob("*")}
    nearest_file = nearest(path.stem, beside)
    hint = f"did you mean `{beside[nearest_file]}`?" if nearest_file else None
    return Problem(f"{spec}: no such file or folder", hint=hint)


class Pairs(NamedTuple):
    """The outcome of each workload on each profile."""

    made: "list[tuple[Profile, list[Rendering]]]"
    """All profiles, with what could be rendered for each."""
    refused: "list[tuple[Profile, Workload, Refusal]]"
    elsewhere: "list[tuple[Profile, Workload]]"
    """Pairs that do not belong together: the workload is for other clusters."""

    @property
    def wanted(self) -> int:
        """Return how many renderings were requested."""
        return sum(len(renderings) for _, renderings in self.made) + len(self.refused)


def renderings(
    compose_request: ComposeRequest, templates: str | None, target: str | None = None
) -> "list[tuple[Profile, list[Rendering]]]":
    """Return the renderings of each profile.

    Raises `InputError` with all problems, else `Refusals` with all refusals.
    """
    pairs = rendered_pairs(compose_request, templates, target)
    if pairs.refused:
        refused = [refusal for *_, refusal in pairs.refused]
        raise Refusals(refused, pairs.wanted, outcome="nothing was generated")
    return pairs.made


def rendered_pairs(
    compose_request: ComposeRequest, templates: str | None, target: str | None = None
) -> Pairs:
    """Return the renderings of each profile, the refusals, and the pairs for other clusters.

    Raises `InputError` with all problems; exits 3 if no workload is for any of the profiles.
    """
    # Not `from gpuspec import render`, which reads like the room of that name.
    import gpuspec
    from gpuspec import InputError, Refusal

    problems: dict[Problem, None] = {}
    pairs = Pairs([], [], [])
    folder = None if templates is None else _folder(templates)
    tell, count = progress("rendering"), len(compose_request.workloads)
    for at, profile in enumerate(compose_request.profiles):
        rendered: list[Rendering] = []
        for number, workload in enumerate(compose_request.workloads):
            tell(at * count + number, len(compose_request.profiles) * count)
            # Who names no cluster wants to see what it would be; a note says that it is for none such.
            if compose_request.has_named_profiles and not workload.is_for(profile):
                pairs.elsewhere.append((profile, workload))
                continue
            try:
                rendered.append(gpuspec.render(workload, profile, folder, target))
            except InputError as error:
                problems |= dict.fromkeys(error.problems)
            except Refusal as refusal:
                pairs.refused.append((profile, workload, refusal))
        pairs.made.append((profile, rendered))
    tell(1, 1)
    if problems:
        raise InputError(problems)
    if not pairs.wanted:
        _for_others(compose_request)
    return pairs


def _for_others(compose_request: ComposeRequest) -> NoReturn:
    """End a run in which no workload is for any of the clusters. Raises `Stop` with its exit code."""
    profiles = ", ".join(profile.name for profile in compose_request.profiles)
    names = ", ".join(dict.fromkeys(workload.name for workload in compose_request.workloads))
    say(f"error: no workload is for {profiles}: `clusters` of {names} names other profiles")
    say("  name the profile of another cluster, or change `clusters` of the spec")
    raise Stop(NOTHING)


def _folder(name: str) -> "Path":
    from pathlib import Path

    return Path(name)


class Refusals(Exception):
    """Refusals of several workloads or profiles, with the number of renderings requested."""

    def __init__(
        self,
        refusals: "list[Refusal]",
        requested: int,
        hint: str | None = None,
        outcome: str = "nothing was written",
    ) -> None:
        self.refusals = refusals
        self.wanted = requested
        self.hint = hint
        """The alternative, as a hint."""
        self.outcome = outcome
        """The consequence of the refusals; empty if the rest of the run goes on."""
        super().__init__(f"{len(refusals)} of {requested} refused")
