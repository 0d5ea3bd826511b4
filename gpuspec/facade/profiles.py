"""Cluster profiles: built in, read, discovered from nodes, checked, and rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, BinaryIO, Literal

    from gpuspec.cluster.check import ProfileFinding
    from gpuspec.cluster.discover import Discovery
    from gpuspec.cluster.platform import Platform
    from gpuspec.spec import Profile

_NAME = ("metadata", "name")


def load_profiles(*paths: str) -> list[Profile]:
    """Return the cluster profiles in files and folders, or built-in ones; without a path,
    `generic`.

    Raises `InputError` with every problem: a missing path, a path without profiles, two profiles
    with one name.
    """
    import os

    from gpuspec.cluster import GENERIC, preset
    from gpuspec.escaping.meant import did_you_mean
    from gpuspec.manifests import InputError, Problem
    from gpuspec.spec import load_profiles as read_profiles

    profiles_by_name: dict[str, Profile] = {}
    problems: list[Problem] = []
    built_in = profile_names()
    hint = f"give a file, a folder or a built-in name: {', '.join(built_in)}"
    for path in paths or (GENERIC,):
        if path not in built_in and path != "-" and not os.path.exists(path):
            text = f"{path}: no such file, folder or built-in profile"
            problems.append(Problem(text, hint=did_you_mean(path, built_in) or hint))
            continue
        try:
            profiles = [preset(path)] if path in built_in else read_profiles([path])
        except InputError as error:
            problems += error.problems
            continue
        if not profiles:
            where = "<stdin>" if path == "-" else path
            problems.append(Problem(f"{where}: no ClusterProfile here", hint=hint))
        for profile in profiles:
            if profile.name in profiles_by_name:
                text = f"two profiles are called `{profile.name}`"
                place, before = (
                    namesake.place(_NAME) for namesake in (profile, profiles_by_name[profile.name])
                )
                other_place = f"the other is {before or 'the built-in one'}: give each its own name"
                advice = "it is given twice" if place == before else other_place
                problems.append(Problem(text, place, advice))
            profiles_by_name[profile.name] = profile
    if problems:
        raise InputError(problems)
    return list(profiles_by_name.values())


def profile_names() -> tuple[str, ...]:
    """Return the names of the built-in profiles."""
    from gpuspec.cluster import preset_names

    return preset_names()


def discover(live: str | BinaryIO, name: str = "cluster") -> Discovery:
    """Return the profile of live nodes as commented YAML, and notes on unknown facts.

    `live` names the output of `kubectl get nodes -o json`, optionally with pods (`-` for standard
    input), or is an open file with it. Raises `InputError` if it contains no GPU node.
    """
    from gpuspec.cluster.discover import discover as profile_of
    from gpuspec.manifests.files import dump_of

    called, dump = dump_of(live)
    return profile_of(dump, called, profile_name=name)


def check_profile(profile: Profile) -> tuple[ProfileFinding, ...]:
    """Return contradictions in a profile and problems of its pools, in the order of the text.

    An `error` cannot be true or cannot work; a `note` is worth knowing. Violations of the schema
    were reported when the profile was loaded.
    """
    from gpuspec.cluster.check import check_profile as check

    return check(profile)


def platform(profile: Profile) -> Platform:
    """Return the platform's own objects that agree with a profile, and what no object can say.

    Namespaces, limits, priorities, queues, devices and the operator that runs them; nothing where the
    profile asks for none. Raises `InternalError` when what we made ourselves is not valid.
    """
    from gpuspec.cluster.platform import Platform, platform_objects

    objects, notes = platform_objects(profile)
    _check_valid(objects, profile)
    return Platform(objects, notes)


def validation_jobs(profile: Profile) -> Platform:
    """Return Jobs that prove the nodes of each pool, and notes on those that they do not prove.

    Nothing where the profile says no `validation`.
    """
    from gpuspec.cluster.platform import Platform
    from gpuspec.cluster.validation import validation_jobs as jobs

    return Platform(*jobs(profile))


def operator_values(profile: Profile, format: Literal["yaml", "json"] = "yaml") -> str:
    """Return values for the chart of NVIDIA's GPU Operator, where the profile says other than the
    chart.

    Empty where it says nothing. Raises `InputError` where no chart installs the operator.
    """
    from gpuspec.cluster.platform import no_chart
    from gpuspec.cluster.platform import operator_values as values
    from gpuspec.manifests import InputError, Problem, write

    if reason := no_chart(profile):
        raise InputError([Problem(reason)])
    obj = values(profile)
    return write([obj], format) if obj else ""


def _check_valid(objects: list[dict[str, Any]], profile: Profile) -> None:
    from gpuspec.kinds import identity
    from gpuspec.manifests import format_path
    from gpuspec.render import InternalError
    from gpuspec.validation import validate

    wrong = [
        f"{identity(obj)}: {format_path(violation.path)}: {violation.message}"
        for obj in objects
        for violation in validate(obj, profile.spec.kubernetes)
        if violation.reason != "no-schema"  # Cilium's, of which none is shipped
    ]
    if wrong:
        raise InternalError("; ".join(wrong))
