"""Files that hold the same object are alternatives: one cluster has the one, another the other.

A repository may hold what was rendered for several clusters, a folder each, or an example in several
forms. Where two files hold an object of one name, their paths part at some folder, and from there on
nothing below the one has to do with anything below the other.
"""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Name = tuple[str, str, str]
"""Kind, namespace (which may be left open) and name of an object."""
Side = frozenset[tuple[str, str]]
"""The folders at which a file is one of several alternatives, each with the entry that it lies below."""
EVERYWHERE: Side = frozenset()
"""Where a file stands that all share."""
# Everybody who writes into a namespace may bring it along.
_SHARED = ("Namespace",)
_Parts = tuple[str, ...]


class Alternatives:
    """Which files of a run exclude each other."""

    def __init__(self, named: Iterable[tuple[str, Name]]) -> None:
        """`named` are the objects of the run: the file, and what the object is called."""
        files: dict[Name, set[str]] = {}
        for file, name in named:
            if file and name[2] and name[0] not in _SHARED:
                files.setdefault(name, set()).add(file)
        self._parted: dict[str, set[str]] = {}
        for same in files.values():
            if len(same) > 1:
                self._part("", {_parts(file) for file in same})
        self._sides: dict[str, Side] = {}

    def side(self, file: str) -> Side:
        """Where a file stands; empty for one that all share."""
        if not self._parted:
            return EVERYWHERE
        if file not in self._sides:
            self._sides[file] = frozenset(self._choices(_parts(file)))
        return self._sides[file]

    def _part(self, folder: str, below: set[_Parts]) -> None:
        """Note where files that hold the same object go apart."""
        entries: dict[str, set[_Parts]] = {}
        for parts in below:
            if parts:
                entries.setdefault(parts[0], set()).add(parts[1:])
        if len(entries) > 1:
            self._parted.setdefault(folder, set()).update(entries)
        for entry, inner in entries.items():
            self._part(f"{folder}/{entry}", inner)

    def _choices(self, parts: _Parts) -> Iterable[tuple[str, str]]:
        folder = ""
        for part in parts:
            if part in self._parted.get(folder, ()):
                yield folder, part
            folder = f"{folder}/{part}"


def agree(one: Side, other: Side) -> bool:
    """Whether what stands on two sides can be in one cluster."""
    chosen = dict(one)
    return all(chosen.get(folder, entry) == entry for folder, entry in other)


def _parts(file: str) -> _Parts:
    return tuple(normpath(file.replace("\\", "/")).split("/"))
