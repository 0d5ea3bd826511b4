"""Functions for hosts beside rendering: find specs, list their settable fields, and compare
rendered objects with the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from contextlib import AbstractContextManager

    from gpuspec.manifests import Problem
    from gpuspec.plan import Refusal
    from gpuspec.render import Rendering
    from gpuspec.spec import Workload

# What a file must say to hold a spec; whoever says it elsewhere (our annotations) is looked at twice.
_MARK = b"gpuspec.dev/v1"
_WORDY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


class ClusterVerdict(NamedTuple):
    """Problems and notes for rendered objects on a cluster with a known version and known APIs."""

    problems: tuple[Problem, ...]
    """Objects that it will reject, or whose fields it will drop."""
    notes: tuple[str, ...]
    """Differences between the cluster and the profile."""


def confined(root: str, name: str) -> AbstractContextManager[None]:
    """Read nothing outside a folder, even through links; `name` is its name in messages.

    It is for hosts that pass on files of others.
    """
    from gpuspec.manifests.files import confined

    return confined(root, name)


def find_specs(*paths: str) -> Iterator[str]:
    """Yield the files with workload specs, valid or not: named files, and those in folders, sorted.

    Specs are not checked, and files that do not contain the name of our API are not parsed, so it
    is fast if there are no specs. Raises `InputError` for unreadable files.
    """
    from gpuspec.manifests.files import STDIN, content, files, is_folder

    for path in paths:
        for file in files(path) if is_folder(path) else [path]:
            if file != STDIN and _MARK in (text := content(file)) and _holds_spec(text, file):
                yield file


def runs_again(renderings: Iterable[Rendering], tool: str) -> list[Refusal]:
    """Refuse runs that are deleted after completion if a tool recreates missing objects."""
    from gpuspec.plan import Refusal, lasting
    from gpuspec.targets import target_of

    return [
        Refusal(
            rendering.name,
            rendering.profile_name,
            [lasting.runs_again(rendering.resolution, ttl, tool)],
        )
        for rendering in renderings
        if (ttl := lasting.asked(rendering.resolution, target_of(rendering.plan.target.value)))
        is not None
    ]


def standard_input() -> bytes:
    """Return a host's standard input. Raises `InputError` if it is too large, or cannot be read."""
    from gpuspec.manifests import InputError
    from gpuspec.manifests.files import STDIN, content
    from gpuspec.manifests.limits import MAX_BYTES
    from gpuspec.manifests.sources import too_large

    stdin_bytes = content(STDIN)
    if len(stdin_bytes) > MAX_BYTES:
        raise InputError([too_large("<stdin>")])
    return stdin_bytes


def _holds_spec(text: bytes, file: str) -> bool:
    from gpuspec.manifests import InputError, read

    try:
        values = [document.value for document in read(text, file)]
    except InputError:
        # Somebody else's template may carry our annotations; a spec says so where it begins.
        import re

        return re.search(rb"^[\"']?apiVersion[\"']?:\s*[\"']?gpuspec\.dev/", text, re.M) is not None
    return any(
        isinstance(value, dict)
        and str(value.get("apiVersion")).startswith("gpuspec.dev/")
        and value.get("kind") != "ClusterProfile"
        for value in values
    )


def settable(workload: Workload) -> dict[str, str]:
    """Return the fields of a spec that `--set` can set: path to value, in the notation of `--set`.

    They are scalars and lists of scalars, in the order of the spec; fields inside lists are left
    out.
    """
    from gpuspec.manifests import format_path

    value = workload.document.value
    spec = value.get("spec") if isinstance(value, dict) else None
    return {format_path(path): text for path, text in _leaves(spec, ())}


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        parts = [_scalar(item, in_list=True) for item in value]
        if parts and None not in parts:
            yield path, f"[{', '.join(filter(None, parts))}]"
    elif (text := _scalar(value)) is not None:
        yield path, text


def _scalar(value: object, *, in_list: bool = False) -> str | None:
    """Return a scalar as YAML; None for any other value."""
    from gpuspec.manifests.quoting import double_quote, quote

    if isinstance(value, str):
        # Within `[…]` more letters mean something.
        return double_quote(value) if in_list and not _WORDY.issuperset(value) else quote(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else None


def compare_cluster(
    renderings: Iterable[Rendering], version: str, apis: Collection[str] = ()
) -> ClusterVerdict:
    """Return whether a cluster accepts the objects that were rendered for a profile. The objects do
    not change.

    `version` is the cluster's (`1.36.2`; a `v` and a vendor's suffix do no harm), `apis` its APIs
    (`apps/v1`, `apps/v1/Deployment`); if empty, they are unknown.
    """
    from gpuspec.numbers import read_version

    numbers = read_version(version)[:2]
    minor = ".".join(map(str, numbers)) if len(numbers) == 2 else ""
    problems: list[Problem] = []
    notes: dict[str, None] = {}
    if version and not minor:
        notes[
            f"`{version}` is not a version of Kubernetes: gpuspec does not compare it with "
            "the profile"
        ] = None
    for rendering in renderings:
        profile = rendering.resolution.profile
        if minor and minor != profile.spec.kubernetes:
            message = f"profile {profile.name} is for Kubernetes {profile.spec.kubernetes}"
            notes[f"{message}, but the cluster runs {version}"] = None
            problems += _forgotten(rendering, minor)
        problems += _unserved(rendering, apis)
    return ClusterVerdict(tuple(problems), tuple(notes))


def _forgotten(rendering: Rendering, minor: str) -> Iterator[Problem]:
    """Yield the fields that a version does not know; nothing if its schemas are not bundled."""
    from gpuspec.kinds import identity
    from gpuspec.manifests import Problem, format_path
    from gpuspec.validation import UnsupportedVersionError, validate

    place = rendering.resolution.workload.place(("metadata", "name"))
    for obj in rendering.objects:
        try:
            violations = validate(obj, minor)
        except UnsupportedVersionError:
            return
        for violation in violations:
            message = f"Kubernetes {minor} of the cluster refuses {identity(obj)}"
            hint = "set `spec.kubernetes` of the profile to its version"
            yield Problem(
                f"{message}: {format_path(violation.path)}: {violation.message}", place, hint
            )


def _unserved(rendering: Rendering, apis: Collection[str]) -> Iterator[Problem]:
    """Yield the objects whose kinds a cluster does not serve."""
    from gpuspec.kinds import identity
    from gpuspec.manifests import Problem

    place = rendering.resolution.workload.place(("metadata", "name"))
    for obj in rendering.objects:
        version, kind = obj["apiVersion"], obj["kind"]
        # Kinds are listed or not, by the version of who asks.
        kinds = [name for name in apis if name.startswith(f"{version}/")]
        if apis and (f"{version}/{kind}" not in kinds if kinds else version not in apis):
            message = f"the cluster does not serve {version} {kind}, the kind of {identity(obj)}"
            hint = "install the product that serves it, or correct `installed` of the profile"
            yield Problem(message, place, hint)
