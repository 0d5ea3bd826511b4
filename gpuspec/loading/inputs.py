"""Files, folders and standard input: content decides what the linter reads."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.loading import helm
from gpuspec.loading.kustomize import Patches, is_kustomization
from gpuspec.loading.lookalikes import VENDORED, Lookalikes, test_data
from gpuspec.loading.notes import LoadingNote
from gpuspec.loading.substitutions import Filling
from gpuspec.loading.templates import CHART, is_chart
from gpuspec.loading.units import UnreadPart
from gpuspec.manifests import InputError, Place, Problem, SourceFile, decode
from gpuspec.manifests.files import STDIN, content, files, is_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gpuspec.loading.helm import RenderedCharts
    from gpuspec.loading.left_out import LeftOutFiles

STDIN_NAME = "<stdin>"


class Inputs(msgspec.Struct, frozen=True):
    """The contents of the named paths."""

    sources: tuple[SourceFile, ...]
    """The texts that may hold Kubernetes objects or specs."""
    unread: tuple[UnreadPart, ...]
    """Files that are not text, or cannot be opened."""
    notes: tuple[LoadingNote, ...]
    """Files that were skipped, with the reasons."""
    files: int
    """The names of all files."""
    named: tuple[str, ...] = ()
    """The names of all files, whatever is in them."""
    patches: tuple[SourceFile, ...] = ()
    """The skipped files that a kustomization names as its patches."""
    clusters: dict[str, str] = {}
    """The cluster of each file, if a record, Argo CD or Flux names it."""
    fillings: dict[str, Filling] = {}
    """The variables that Flux fills in, by file."""
    rendered: frozenset[tuple[str, str]] = frozenset()
    """The releases whose objects are among the sources: the file that asks for each, and its name."""
    piped: SourceFile | None = None
    """The text of standard input; None if it was not read or is not text."""


def gather(
    paths: Iterable[str],
    left_out: LeftOutFiles | None = None,
    charts: RenderedCharts | None = None,
    stdin: str = STDIN_NAME,
) -> Inputs:
    """Read files, folders (every YAML and JSON file below, except hidden ones) and `-`.

    `left_out` names further files to skip, `charts` the objects of charts among the folders, which
    replace their files, and `stdin` is the name of `-`. Raises `InputError` for paths that do not
    exist and for folders that cannot be listed.
    """
    rendered = {} if charts is None else charts.made
    file_names, notes = _all(paths, left_out, rendered)
    notes += () if charts is None else charts.notes
    patches = Patches()
    for file in file_names:
        if file != STDIN:
            patches.learn(file)
    lookalikes = Lookalikes()
    sources: list[SourceFile] = []
    unread: list[UnreadPart] = []
    fragments: list[SourceFile] = []
    piped: SourceFile | None = None
    for file in file_names:
        kustomization = None if file == STDIN else patches.of(file)
        if kustomization is not None:
            message = f"skipped: a patch of {kustomization}: lint the output of `kustomize build`"
            notes.append(LoadingNote(file, message))
            fragments += _fragment(file)
            continue
        if file != STDIN and patches.is_spare(file):
            message = "skipped: by its name a patch, though no kustomization names it"
            notes.append(LoadingNote(file, message))
            continue
        name = stdin if file == STDIN else file
        try:
            source = decode(content(file), name)
        except InputError as error:
            unread += [_unread(problem, name) for problem in error.problems]
            continue
        if file == STDIN:
            piped = source
        if _is_foreign(source):
            continue
        if is_chart(source):
            notes.append(LoadingNote(name, CHART))
            continue
        if (lookalike := lookalikes.of(source)) is not None:
            notes.append(
                LoadingNote(name, f"skipped: {lookalike}, which is never applied to a cluster")
            )
            continue
        sources.append(source)
    sources += rendered.values()
    return Inputs(
        tuple(sources),
        tuple(unread),
        tuple(notes),
        len(file_names) + len(rendered),
        tuple(file for file in file_names if file != STDIN),
        tuple(fragments),
        piped=piped,
    )


_GO_TESTS = "data of Go's tests"


def _fragment(file: str) -> list[SourceFile]:
    """Return a patch's text; empty if it has none."""
    try:
        return [decode(content(file), file)]
    except InputError:
        return []


def _all(
    paths: Iterable[str], left_out: LeftOutFiles | None, sources: Mapping[str, SourceFile]
) -> tuple[list[str], list[LoadingNote]]:
    """Return every file once, in the order of the paths, and the files that were skipped.

    Of charts that were rendered, only the files next to the chart's own are read.
    """
    by_place: dict[str, str] = {}
    tests: Counter[str] = Counter()
    problems: list[Problem] = []
    for path in paths:
        try:
            for file in _files(path, left_out, path in sources):
                if (folder := test_data(file, path)) is not None:
                    tests[folder] += 1
                    continue
                by_place.setdefault(file if file == STDIN else os.path.realpath(file), file)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    notes = [
        LoadingNote(
            folder,
            f"skipped: {'modules of Go' if os.path.basename(folder) == VENDORED else _GO_TESTS}, "
            f"{count} {'files' if count > 1 else 'file'}",
        )
        for folder, count in tests.items()
    ]
    notes += left_out.notes() if left_out is not None else ()
    return list(by_place.values()), notes


def _files(path: str, left_out: LeftOutFiles | None, rendered: bool) -> Iterator[str]:
    if path != STDIN and not os.path.exists(path):
        raise InputError([Problem(f"{path}: no such file or folder")])
    if path != STDIN and left_out is not None and left_out.names(path):
        return
    if is_folder(path):
        paths = files(path) if left_out is None else files(path, _passed(path, left_out, rendered))
        # What lies in the folder at hand is known by its own name.
        yield from (file.removeprefix("./") for file in paths)
        return
    yield path


def _passed(path: str, left_out: LeftOutFiles, rendered: bool) -> Callable[[str, bool], bool]:
    """Return whether a path below a folder is skipped, and whether that path is a folder."""
    leaves_out = left_out.below(path)
    if not rendered:
        return leaves_out
    is_own = helm.own(path)
    return lambda below, folder: is_own(below) or leaves_out(below, folder)


def _unread(problem: Problem, name: str) -> UnreadPart:
    return UnreadPart(problem.place or Place(name, 1, 1), problem.message, problem.hint)


def _is_foreign(source: SourceFile) -> bool:
    """Return whether a text cannot hold a Kubernetes object, whatever else it is.

    It may have tags or comments for another program: that is no fault.
    """
    from gpuspec.manifests.syntax import is_well_formed

    text = source.text
    if (
        is_kustomization(source.name)
        or "apiVersion" in text
        or ("kind" in text and "metadata" in text)
    ):
        return False
    # JSON with comments and the like is for others too.
    return source.name.endswith(".json") or is_well_formed(text)
