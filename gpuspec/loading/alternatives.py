"""Files that hold the same object are alternatives: each is for another cluster.

A repository may hold the rendered objects of several clusters, a folder each, or an example in
several forms. Where two files hold an object of one name, their paths part at some folder. From
there on, nothing below the one path is related to anything below the other. Files of one folder
that have no object in common still belong together, even if another file or folder repeats their
objects. Of some files the cluster is known. Files of two clusters exclude each other, whatever they
hold and wherever they are.
"""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Name = tuple[str, str, str]
"""Kind, namespace (which may be left open) and name of an object."""
Side = frozenset[tuple[str, str]]
"""The folders at which a file is one of several alternatives, each with its alternative."""
CLUSTER = "cluster"
"""Stands for the folder if the alternatives are clusters: names of folders begin with a slash."""
EVERYWHERE: Side = frozenset()
"""The place of a file that all alternatives share."""
# Everybody who writes into a namespace may bring it along.
_SHARED = ("Namespace",)
_Parts = tuple[str, ...]


class Alternatives:
    """The files of a run that exclude each other."""

    def __init__(
        self, names_of_files: Iterable[tuple[str, Name]], clusters: Mapping[str, str] | None = None
    ) -> None:
        """Take in `names_of_files` the objects of the run, each with its file and name, and in
        `clusters` the clusters of the files whose cluster is known.
        """
        self._clusters = clusters or {}
        files: dict[Name, set[str]] = {}
        for file, name in names_of_files:
            if file and name[2] and name[0] not in _SHARED:
                files.setdefault(name, set()).add(file)
        self._parted: dict[str, _Folder] = {}
        for same in files.values():
            if len(same) > 1:
                self._part("", {_parts(file) for file in same})
        self._entries = {folder: parted.alternatives() for folder, parted in self._parted.items()}
        self._sides: dict[str, Side] = {}

    def side(self, file: str) -> Side:
        """Return the alternatives of a file; empty for a file that all share."""
        if not self._entries and not self._clusters:
            return EVERYWHERE
        if file not in self._sides:
            choices = [*self._choices(_parts(file))]
            if file in self._clusters:
                choices.append((CLUSTER, self._clusters[file]))
            self._sides[file] = frozenset(choices)
        return self._sides[file]

    def _part(self, folder: str, below: set[_Parts]) -> None:
        """Note where the paths of files with the same object part."""
        entries: dict[str, set[_Parts]] = {}
        for parts in below:
            if parts:
                entries.setdefault(parts[0], set()).add(parts[1:])
        if len(entries) > 1:
            files = {entry for entry, inner in entries.items() if () in inner}
            self._parted.setdefault(folder, _Folder()).add(files, entries.keys() - files)
        for entry, inner in entries.items():
            self._part(f"{folder}/{entry}", inner)

    def _choices(self, parts: _Parts) -> Iterable[tuple[str, str]]:
        folder = ""
        for part in parts:
            entries = self._entries.get(folder, {})
            if part in entries:
                yield folder, entries[part]
            folder = f"{folder}/{part}"


class _Folder:
    """The entries of a folder that repeat objects of other entries."""

    def __init__(self) -> None:
        self._rivals: dict[str, set[str]] = {}
        """The files, each with the files that repeat one of its objects."""
        self._folders: set[str] = set()

    def add(self, files: set[str], folders: set[str]) -> None:
        """Note that some entries hold the same object."""
        for file in files:
            self._rivals.setdefault(file, set()).update(files - {file})
        self._folders |= folders

    def alternatives(self) -> dict[str, str]:
        """Return each entry with the name of its alternative: the first of several files.

        Files that have the same rivals are one alternative to these, and no rivals of each other.
        """
        alike: dict[frozenset[str], list[str]] = {}
        for file, rivals in sorted(self._rivals.items()):
            alike.setdefault(frozenset(rivals), []).append(file)
        by_file = {file: some[0] for some in alike.values() for file in some}
        return by_file | {entry: entry for entry in self._folders}


class Sides:
    """Sides, indexed by their choices, so that a lookup never visits excluded sides."""

    def __init__(self, sides: Iterable[Side]) -> None:
        self._sides: list[Side] = []
        """Sides without a further choice."""
        self._further: dict[str, dict[str, Sides]] = {}
        """Sides with a further choice, by its folder and its entry."""
        for side in sides:
            # The cluster comes first; every folder of a side lies below the one before it.
            self._add(side, sorted(side, key=_rank))

    def agreeing(self, side: Side) -> Iterator[Side]:
        """Yield the sides that can be in one cluster with a side: both choose the same entry of
        each folder.
        """
        yield from self._with(dict(side))

    def _add(self, side: Side, choices: list[tuple[str, str]]) -> None:
        if not choices:
            self._sides.append(side)
            return
        (folder, entry), *rest = choices
        entries = self._further.setdefault(folder, {})
        entries.setdefault(entry, Sides(()))._add(side, rest)

    def _with(self, chosen: dict[str, str]) -> Iterator[Side]:
        yield from self._sides
        for folder, entries in self._further.items():
            if folder not in chosen:
                some = list(entries.values())
            else:
                some = [entries[chosen[folder]]] if chosen[folder] in entries else []
            for side in some:
                yield from side._with(chosen)


def cluster_of(side: Side) -> str:
    """Return the cluster of a side; empty if it is unknown."""
    return next((entry for folder, entry in side if folder == CLUSTER), "")


def _rank(choice: tuple[str, str]) -> int:
    return -1 if choice[0] == CLUSTER else len(choice[0])


def _parts(file: str) -> _Parts:
    return tuple(normpath(file.replace("\\", "/")).split("/"))
