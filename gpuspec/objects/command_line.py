"""`command` and `args` split into words, so that rules can look up flags by name."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.manifests.values import items
from gpuspec.numbers import is_digits, read_whole
from gpuspec.objects.lazy import lazy
from gpuspec.objects.variables import filled, plain_variables

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = ("sh", "bash", "ash", "dash", "zsh")


class ArgumentWord(msgspec.Struct, frozen=True):
    """One word of a command line, with the item of `command` or `args` that contains it."""

    text: str
    path: Path


class Flag(msgspec.Struct, frozen=True):
    """A flag with its value: `--tensor-parallel-size 4` or `--tensor-parallel-size=4`."""

    name: str
    value: str | None
    """None if nothing or another flag follows."""
    path: Path
    """The path of the value, or of the flag if it has no value."""

    @property
    def number(self) -> int | None:
        """The value as an integer, or None."""
        return read_whole((self.value or "").strip())


class CommandLine:
    """A command line. A shell script is split into its words."""

    def __init__(self, words: list[ArgumentWord]) -> None:
        self.all = words

    def __iter__(self) -> Iterator[ArgumentWord]:
        return iter(self.all)

    def __bool__(self) -> bool:
        return bool(self.all)

    def has(self, *texts: str) -> ArgumentWord | None:
        """Return the first word that is one of these, or a path that ends in one
        (`/usr/bin/torchrun`)."""
        programs = self._programs
        if programs.keys().isdisjoint(texts):
            return None
        return self.all[min(programs[text] for text in texts if text in programs)]

    def flag(self, *names: str) -> Flag | None:
        """Return the last occurrence of these flags; dashes and underscores in names are
        equivalent."""
        flags, plain_names = self._flags, _all_plain(names)
        if flags.keys().isdisjoint(plain_names):
            return None
        return max((flags[name] for name in plain_names if name in flags), key=itemgetter(0))[1]

    def value(self, *names: str) -> str | None:
        """Return the value of the last occurrence of these flags, empty if it has no value; None if
        no flag is set."""
        flag = self.flag(*names)
        return None if flag is None else flag.value or ""

    @lazy
    def _programs(self) -> dict[str, int]:
        """The first position of each word, and of the last part of each path."""
        positions: dict[str, int] = {}
        for index, word in enumerate(self.all):
            positions.setdefault(word.text, index)
            if "/" in word.text:
                positions.setdefault(word.text.rpartition("/")[2], index)
        return positions

    @lazy
    def _flags(self) -> dict[str, tuple[int, Flag]]:
        """The last flag of each name, with the index of its word. It is kept because rules look up
        many flags."""
        last_flags: dict[str, tuple[int, Flag]] = {}
        for index, word in enumerate(self.all):
            if not word.text.startswith("-"):
                continue
            name, joined, value = word.text.partition("=")
            after = self.all[index + 1] if index + 1 < len(self.all) else None
            if joined:
                flag = Flag(name, value, word.path)
            elif after is None or (after.text.startswith("-") and not _negative(after.text)):
                flag = Flag(name, None, word.path)
            else:
                flag = Flag(name, after.text, after.path)
            last_flags[_plain(name)] = index, flag
        return last_flags


def words_of(container: dict[str, Any], base: Path) -> CommandLine:
    """Return the words of a container's `command` and `args`; `base` is its path in the document.

    Variables that the container sets are replaced; their words have the paths of the values.
    """
    variables = plain_variables(container, base)
    words: list[ArgumentWord] = []
    for field in ("command", "args"):
        for index, item in enumerate(items(container.get(field))):
            if isinstance(item, str):
                words += _pieces(ArgumentWord(item, (*base, field, index)), variables)
    return CommandLine(words)


def _pieces(word: ArgumentWord, variables: dict[str, tuple[str, Path]]) -> list[ArgumentWord]:
    """Return a word, or the words of a script without comments, line ends and quotes."""
    if " " not in word.text and "\n" not in word.text:
        return [
            ArgumentWord(resolved_word.text, resolved_word.path or word.path)
            for resolved_word in filled(word.text, variables)
        ]
    script = word.text
    words: list[ArgumentWord] = []
    for line in word.text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("#"):
            continue
        texts = [piece.strip("'\";()") for piece in line.split()]
        words += [
            ArgumentWord(resolved_word.text, resolved_word.path or word.path)
            for text in texts
            if text
            for resolved_word in filled(text, variables, script)
        ]
    return words


@lru_cache(4096)
def _plain(name: str) -> str:
    return name.lstrip("-").replace("_", "-")


@lru_cache(1024)
def _all_plain(names: tuple[str, ...]) -> tuple[str, ...]:
    # Rules ask each container for the same few.
    return tuple(map(_plain, names))


def _negative(text: str) -> bool:
    return is_digits(text[1:].replace(".", "", 1))
