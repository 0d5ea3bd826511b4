"""Statements of Argo CD's and Flux's objects about folders, and about the bases of their
kustomizations.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gpuspec.loading.kustomize import BUILDS, NAMES, named_in
from gpuspec.manifests.reader import YamlReaders, read_chunk
from gpuspec.manifests.sources import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.loading.tree import FileTree
    from gpuspec.manifests import SourceFile


class Reach:
    """Statements about folders and files, by their places."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._of: dict[str, set[str]] = {}

    def add(self, folder: str, statements: set[str]) -> None:
        """Note a statement about a folder, and about the folders that its kustomization builds on."""
        waiting, known_places = [folder], {folder}
        while waiting:
            place_at = waiting.pop()
            self._of[place_at] = self._of.get(place_at, set()) | statements
            for place in self._built_on(place_at):
                if place not in known_places:
                    known_places.add(place)
                    waiting.append(place)

    def of(self, place: str) -> set[str]:
        """Return the statements about a file, or else about the nearest folder above that has some."""
        while place not in self._of:
            above = os.path.dirname(place)
            if above == place:
                return set()
            place = above
        return self._of[place]

    def _built_on(self, folder: str) -> Iterator[str]:
        """Yield the files and folders that a folder's kustomization builds on."""
        tree = self._tree
        for name in NAMES:
            values = [value for value in tree.read(f"{folder}/{name}") if isinstance(value, dict)]
            for path in named_in(values, BUILDS):
                place = os.path.normpath(os.path.join(folder, path))
                if place in tree.files or place in tree.folders:
                    yield place


def objects_of(source: SourceFile, marks: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the objects in a text, from the pieces that have one of some marks."""
    readers = YamlReaders()
    for chunk in split(source)[0]:
        if any(mark in chunk.text for mark in marks):
            for document in read_chunk(chunk, readers)[0]:
                if isinstance(document.value, dict):
                    yield document.value
