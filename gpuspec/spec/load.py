"""Finding and reading specs and profiles: files, folders, standard input."""

import sys
from collections.abc import Collection, Iterable
from pathlib import Path

from gpuspec.manifests import Document, InputError, Problem, read
from gpuspec.spec.parse import is_ours, parse_profile, parse_workload
from gpuspec.spec.sets import apply_settings, parse_settings
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


def load_workloads(paths: Iterable[str], settings: tuple[str, ...] = ()) -> list[Workload]:
    """All workloads of files, folders and `-`, in the order of the paths and of the text.

    In a folder, documents that are not ours and profiles are passed over; a file that is named
    must hold nothing else. Raises `InputError` with every problem of every document, and for two
    workloads of one kind, namespace and name.
    """
    wanted = parse_settings(settings)
    documents, problems = _documents(paths, WORKLOAD_KINDS)
    workloads: list[Workload] = []
    for document in apply_settings(documents, wanted):
        try:
            workloads.append(parse_workload(document))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return workloads


def load_profiles(paths: Iterable[str]) -> list[Profile]:
    """All profiles of files, folders and `-`.

    Raises `InputError` with every problem, for a path without a profile, and for two profiles of
    one name.
    """
    documents, problems = _documents(paths, (PROFILE_KIND,))
    profiles: list[Profile] = []
    for document in documents:
        try:
            profiles.append(parse_profile(document))
        except InputError as error:
            problems += error.problems
    seen: dict[str, Profile] = {}
    for profile in profiles:
        if profile.name in seen:
            first = seen[profile.name].place(("metadata", "name"))
            text = f"a second profile `{profile.name}`"
            problems.append(Problem(text, profile.place(("metadata", "name")), f"first at {first}"))
        seen.setdefault(profile.name, profile)
    if problems:
        raise InputError(problems)
    return profiles


def _documents(
    paths: Iterable[str], kinds: Collection[str]
) -> tuple[list[Document], list[Problem]]:
    """The documents that may be of these kinds, and the problems of reading them."""
    found: list[Document] = []
    problems: list[Problem] = []
    for path in paths:
        folder = path != STDIN and Path(path).is_dir()
        for file in _files(path) if folder else [path]:
            try:
                documents = read(_content(file), "<stdin>" if file == STDIN else file)
            except InputError as error:
                # A folder may hold templates that are no YAML; the linter speaks of those.
                problems += error.problems
                continue
            found += [d for d in documents if not folder or _wanted(d.value, kinds)]
    return found, problems


def _wanted(value: object, kinds: Collection[str]) -> bool:
    """Whether a document of a folder is one of ours of these kinds, or fails to be any."""
    if not is_ours(value) or not isinstance(value, dict):
        return False
    kind = str(value.get("kind"))
    return kind in kinds or kind not in (*WORKLOAD_KINDS, PROFILE_KIND)


def _files(folder: str) -> list[str]:
    return sorted(
        str(path)
        for path in Path(folder).rglob("*")
        if path.suffix in ENDINGS
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _content(file: str) -> bytes:
    if file == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise InputError([Problem(f"{file}: no such file or folder")]) from None
    except OSError as error:
        raise InputError([Problem(f"{file}: {error.strerror}")]) from None
