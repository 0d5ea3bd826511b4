"""Finding and reading specs and profiles: files, folders, standard input."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from gpuspec.manifests import Document, InputError, Problem, read
from gpuspec.manifests.files import STDIN, content, files, is_folder
from gpuspec.spec.parse import is_ours, parse_profile, parse_workload
from gpuspec.spec.text import SpecText
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

# What a file of a folder must say to be meant for us, though it cannot be read.
_MARK = b"gpuspec.dev/"
_Found = TypeVar("_Found", Workload, Profile)


def load_workloads(
    paths: Iterable[str], settings: tuple[str, ...] = (), option: str = "--set"
) -> list[Workload]:
    """Return all workloads of files, folders and `-`, in the order of the paths and of the text.

    In a folder, what is not ours and profiles are passed over, templates that are no YAML among
    them; a file that is named must hold nothing but workloads. Raises `InputError` with every
    problem of every document, and for two workloads of one kind, namespace and name.
    """
    documents, problems = _documents(paths, WORKLOAD_KINDS)
    texts: list[SpecText] = list(documents)
    if settings:
        from gpuspec.spec.sets import apply_settings, parse_settings

        try:
            texts = apply_settings(documents, parse_settings(settings, option))
        except InputError as error:
            problems += error.problems
    workloads = _parsed(texts, parse_workload, problems)
    workloads_by_identity: dict[tuple[str, str, str], Workload] = {}
    for workload in workloads:
        identity = (workload.kind, workload.namespace, workload.name)
        first = workloads_by_identity.setdefault(identity, workload)
        if first is not workload:
            kind, namespace, name = identity
            message = f"a second {kind} `{name}` in namespace {namespace}"
            problems.append(_twice(message, workload, first))
    if problems:
        raise InputError(problems)
    return workloads


def load_profiles(paths: Iterable[str]) -> list[Profile]:
    """Return all profiles of files, folders and `-`, in the order of the paths and of the text.

    Raises `InputError` with every problem, and for two profiles of one name.
    """
    documents, problems = _documents(paths, (PROFILE_KIND,))
    profiles = _parsed(documents, parse_profile, problems)
    profiles_by_name: dict[str, Profile] = {}
    for profile in profiles:
        first = profiles_by_name.setdefault(profile.name, profile)
        if first is not profile:
            problems.append(_twice(f"a second profile `{profile.name}`", profile, first))
    if problems:
        raise InputError(problems)
    return profiles


def _parsed(
    documents: Iterable[SpecText], parse: Callable[[SpecText], _Found], problems: list[Problem]
) -> list[_Found]:
    parsed_documents: list[_Found] = []
    for document in documents:
        try:
            parsed_documents.append(parse(document))
        except InputError as error:
            problems += error.problems
    return parsed_documents


def _twice(message: str, second: Workload | Profile, first: Workload | Profile) -> Problem:
    path = ("metadata", "name")
    return Problem(message, second.place(path), f"the first is at {first.place(path)}")


def _documents(
    paths: Iterable[str], kinds: Collection[str]
) -> tuple[list[Document], list[Problem]]:
    """Return the documents that may be of these kinds, and the problems of reading them."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            single_file = [] if is_folder(path) else [path]
            inside = [] if single_file else files(path)
        except InputError as error:
            problems += error.problems
            continue
        for file in single_file or inside:
            documents += _read(file, problems, () if single_file else kinds)
    return documents, problems


def _read(file: str, problems: list[Problem], kinds: Collection[str]) -> list[Document]:
    """Return a file's documents; of a folder's file (`kinds` says which kinds) those that are
    ours."""
    text = b""
    try:
        text = content(file)
        documents = read(text, "<stdin>" if file == STDIN else file)
    except InputError as error:
        if not kinds or not text or _MARK in text:
            problems += error.problems
        return []
    return [d for d in documents if not kinds or _is_wanted(d.value, kinds)]


def _is_wanted(value: object, kinds: Collection[str]) -> bool:
    """Return whether a document of a folder is one of ours of these kinds, or fails to be any."""
    if not is_ours(value) or not isinstance(value, dict):
        return False
    kind = value.get("kind")
    return kind in tuple(kinds) or kind not in (*WORKLOAD_KINDS, PROFILE_KIND)
