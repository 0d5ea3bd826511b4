"""The files that a walk through folders skips: those that Git ignores, and those that the
configuration excludes.

Follows Git's rules in gitignore(5) of Git 2.50: the nearest `.gitignore` with a pattern for a path
decides, and nothing below an ignored folder is read. Patterns of the user's own
(`core.excludesFile`) do not count: a CI does not have them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.loading.folders import above
from gpuspec.loading.globs import matches
from gpuspec.loading.notes import LoadingNote
from gpuspec.manifests import InputError
from gpuspec.manifests.files import loose_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pathspec.pattern import RegexPattern

GITIGNORE = ".gitignore"
_OF_CLONE = ".git/info/exclude"
Some = tuple["RegexPattern", ...]
"""The patterns of a file, in its order: the last one that matches a path decides."""
Patterns = tuple[tuple[str, Some], ...]
"""Folders with patterns, the nearest first."""


class Exclude(msgspec.Struct, frozen=True):
    """Patterns of a configuration for files to skip."""

    patterns: tuple[str, ...] = ()
    folder: str = ""
    """The absolute folder that they are relative to."""
    file: str = ""
    """The configuration."""
    named: bool = False
    """Whether they hold for named files and folders too."""


NOTHING = Exclude()


class LeftOutCount(msgspec.Struct):
    """The number of files skipped for one reason."""

    files: int = 0
    folders: int = 0

    def add(self, folder: bool) -> None:
        """Count one more."""
        self.files += not folder
        self.folders += folder

    def __str__(self) -> str:
        counts = ((self.files, "file"), (self.folders, "folder"))
        return " and ".join(f"{n} {noun}{'s' if n > 1 else ''}" for n, noun in counts if n)


class LeftOutFiles:
    """The files that some walks skipped, and their number."""

    def __init__(self, exclude: Exclude = NOTHING) -> None:
        self._exclude = exclude
        self._excluded, self._ignored = LeftOutCount(), LeftOutCount()

    def names(self, path: str) -> bool:
        """Return whether a path is skipped even though the user named it."""
        is_excluded = self._exclude.named and bool(self._excluding(os.path.abspath(path)))
        if is_excluded:
            self._excluded.add(os.path.isdir(path))
        return is_excluded

    def below(self, root: str) -> Callable[[str, bool], bool]:
        """Return whether a path below a folder is skipped, and whether that path is a folder.

        Patterns that match the folder itself do not count: it was named.
        """
        full = os.path.abspath(root)
        root_patterns = self._excluding(full)
        patterns_by_folder: dict[str, Patterns] = {full: (*_patterns(full), *_above(full))}

        def leaves_out(path: str, folder: bool) -> bool:
            place = os.path.join(full, path[len(root) :].strip("/"))
            if self._excluding(place) - root_patterns:
                self._excluded.add(folder)
                return True
            holds = os.path.dirname(place)
            if holds not in patterns_by_folder:
                patterns_by_folder[holds] = (
                    *_patterns(holds),
                    *patterns_by_folder[os.path.dirname(holds)],
                )
            if _ignored(place, folder, patterns_by_folder[holds]):
                self._ignored.add(folder)
                return True
            return False

        return leaves_out

    def notes(self) -> Iterator[LoadingNote]:
        """Yield the number of skipped files, for each reason."""
        if str(self._ignored):
            text = f"skipped, because Git ignores it: {self._ignored}; to read it, name it"
            yield LoadingNote("", text)
        if str(self._excluded):
            yield LoadingNote("", f"skipped by `exclude` of {self._exclude.file}: {self._excluded}")

    def _excluding(self, path: str) -> set[str]:
        """Return the patterns of the configuration that match a path."""
        exclude = self._exclude
        if not exclude.patterns:
            return set()
        relative = os.path.relpath(path, exclude.folder)
        return {pattern for pattern in exclude.patterns if matches(pattern, relative)}


def _above(folder: str) -> Patterns:
    """Return the patterns of a folder's parents, up to its repository's root; none without a
    repository.
    """
    reached = list(above(folder))
    root = reached[-1]
    if not os.path.exists(f"{root}/.git"):
        return ()
    patterns = [pattern for higher in reached[1:] for pattern in _patterns(higher)]
    patterns += _read(f"{root}/{_OF_CLONE}", root)
    return tuple((base, _beside(some, _relative(folder, base))) for base, some in patterns)


def _beside(patterns: Some, folder: str) -> Some:
    """Return the patterns except those by which Git ignores a folder, or one above it."""
    steps = folder.split("/")
    whole = ["/".join(steps[:number]) for number in range(1, len(steps) + 1)]
    return tuple(
        pattern
        for pattern in patterns
        if not (pattern.include and any(_is(pattern, path, True) for path in whole))
    )


def _patterns(folder: str) -> Patterns:
    return _read(f"{folder}/{GITIGNORE}", folder)


def _read(file: str, folder: str) -> Patterns:
    """Return the patterns of a file; none if it cannot be read."""
    if not os.path.isfile(file):
        return ()
    try:
        lines = loose_text(file).splitlines()
    except InputError:
        return ()
    return ((folder, tuple(pattern for line in lines for pattern in _compiled(line))),)


def _compiled(line: str) -> Some:
    """Return the pattern of a line; None for a comment or a line that Git takes for no pattern."""
    # Most folders have no such file, and the library takes its time.
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        pattern = GitIgnoreSpecPattern(line)
    except (ValueError, re.error):
        return ()
    return () if pattern.include is None else (pattern,)


def _ignored(path: str, folder: bool, patterns: Patterns) -> bool:
    """Return whether Git ignores a path of a folder that it does not ignore."""
    for base, some in patterns:
        relative = _relative(path, base)
        for pattern in reversed(some):
            if _is(pattern, relative, folder):
                return bool(pattern.include)
    return False


def _is(pattern: RegexPattern, path: str, folder: bool) -> bool:
    """Return whether a pattern matches a path itself, and not only a folder above it.

    The library takes a folder's content for the folder. Its expression ends in a group after the
    folder's name, or in none if the pattern means everything below.
    """
    expression = pattern.regex
    assert expression is not None  # that of a comment alone is
    if (match := expression.match(path)) is not None and match.lastgroup is None:
        return True
    whole = f"{path}/"
    folder_match = expression.match(whole) if folder else None
    return (
        folder_match is not None
        and folder_match.lastgroup is not None
        and folder_match.end() == len(whole)
    )


def _relative(path: str, base: str) -> str:
    """Return a path below a folder, both absolute."""
    return path[len(base.rstrip("/")) + 1 :]
