"""The files of a run as a tree: the targets of paths that are relative to a repository's root."""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpuspec.loading.folders import above
from gpuspec.manifests import InputError, read
from gpuspec.manifests.files import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.manifests import SourceFile

# `{{name}}`, `{{ .name }}`, `{{ index .path.segments 1 }}`
PLACEHOLDER = re.compile(r"\{\{-?\s*(?:index\s+)?\.?([\w.\[\]-]+)(?:\s+([0-9]+))?\s*-?\}\}")
_ANY = re.compile(r"\{\{.*?\}\}")


class FileTree:
    """Some files by their places, with links followed."""

    def __init__(self, file_names: Iterable[str], sources: Iterable[SourceFile]) -> None:
        """Take in `sources` the files whose texts are known."""
        self.files = {os.path.realpath(name): name for name in file_names}
        """The name of each file, by its place."""
        self._sources = {source.name: source for source in sources}

    @cached_property
    def folders(self) -> set[str]:
        """All folders that hold some of them, at any depth."""
        all_folders: set[str] = set()
        for place in self.files:
            folder = os.path.dirname(place)
            while folder not in all_folders:
                all_folders.add(folder)
                folder = os.path.dirname(folder)
        return all_folders

    def place(self, file: str) -> str:
        """Return the place of a file."""
        return os.path.realpath(file)

    def read(self, place: str) -> list[Any]:
        """Return a file's documents; none if it is not in the tree or cannot be read."""
        name = self.files.get(place)
        if name is None:
            return []
        try:
            source = self._sources.get(name)
            return [
                document.value for document in read(source.text if source else content(name), name)
            ]
        except (InputError, ValueError):
            return []

    def places(self, path: str, file: str, companion: str = "") -> Iterator[tuple[str, str]]:
        """Yield the folders or files that a path means, relative to the nearest folder above a file
        where it means any.

        Each placeholder stands for one name. With each result comes `companion` with the same
        placeholders filled in; one with a remaining placeholder is dropped. The root itself is no
        path.
        """
        path = os.path.normpath(path.strip("/") or ".")
        if path.startswith("."):
            return
        for root, inside in self._roots(file, {*self.files, *self.folders}):
            matched = [*_matching(path, inside, companion)]
            if matched:
                yield from (
                    (f"{root}/{folder}", filled_companion) for folder, filled_companion in matched
                )
                return

    def matching(self, pattern: str, file: str, *, files: bool = False) -> list[str]:
        """Return the folders, or files, that a pattern with `*` and `**` means, relative to a
        repository's root.
        """
        expression = re.compile(
            re.escape(pattern.strip("/")).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        )
        for root, inside in self._roots(file, self.files if files else self.folders):
            matched = [place for place in inside if expression.fullmatch(place)]
            if matched:
                return [f"{root}/{place}" for place in matched] if files else matched
        return []

    def _roots(self, file: str, places: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield each folder above a file, with the places below it relative to it."""
        every = sorted(places)
        for root in above(os.path.dirname(os.path.realpath(file))):
            root = root.rstrip("/")
            yield root, [place[len(root) + 1 :] for place in every if place.startswith(f"{root}/")]


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the placeholders filled in that have values."""

    def value(match: re.Match[str]) -> str:
        key = match[1] if match[2] is None else f"{match[1].removesuffix('.segments')}[{match[2]}]"
        return values.get(key, match[0])

    return PLACEHOLDER.sub(value, text)


def _matching(path: str, folders: list[str], companion: str) -> Iterator[tuple[str, str]]:
    names: list[str] = []
    pattern, end = "", 0
    for match in _ANY.finditer(path):
        placeholder = PLACEHOLDER.fullmatch(match[0])
        names.append(placeholder[1] if placeholder else "")
        pattern += re.escape(path[end : match.start()]) + "([^/]+)"
        end = match.end()
    if not names:
        if path in folders and not _ANY.search(companion):
            yield path, companion
        return
    expression = re.compile(pattern + re.escape(path[end:]))
    for folder in folders:
        if matched := expression.fullmatch(folder):
            filled_companion = filled(companion, dict(zip(names, matched.groups(), strict=True)))
            if not _ANY.search(filled_companion):
                yield folder, filled_companion
