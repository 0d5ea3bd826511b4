"""A server that a shell script starts, in `command` or `args`, and the words that the script passes
on.

`sh -c SCRIPT A B` runs the script with A as `$0` and B as `$1`: words after a script reach the
program only if the script refers to them.
"""

import re
import shlex
from itertools import pairwise

import msgspec

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.resolution import Resolution
from gpuspec.runtimes import ServerSetting
from gpuspec.spec import InferenceSpec

_SHELLS = ("sh", "bash", "dash", "ash", "zsh")
_OPTION = re.compile(r"-[a-z]*c")
_ENDS = re.compile(r"[;&|()\n]+")
_ALL_WORDS = re.compile(r"\$(?:[@*1]|\{[@*1])")
_FIRST_WORD = re.compile(r"\$(?:0|\{0)")


class Script(msgspec.Struct, frozen=True):
    """A script, its place, and the words after it."""

    shell: str
    text: str
    path: Path
    words: tuple[str, ...]
    """The words after the server's start; all words if it starts no known server."""
    starts: bool
    before: tuple[str, ...]
    """The part of `args` before the words for the script: the script itself, if it is there, and
    its `$0`."""
    after: tuple[str, ...]
    """The rest of `args`."""

    @property
    def hands_on(self) -> bool:
        """Whether the program gets the words after the script."""
        return _ALL_WORDS.search(self.text) is not None

    def says(self, setting: ServerSetting) -> bool:
        """Return whether the script has an option of a setting."""
        return bool(setting.flags & {runtimes.flag(word) for word in self.words})

    def line(self, words: list[str]) -> list[str]:
        """Return `args`, with words for the program if the script passes any on."""
        handed = words if self.hands_on else []
        return [*self.before, *handed, *self.after]


def script_of(resolution: Resolution) -> Script | None:
    """Return the script that starts a workload's server; None if no shell runs a script."""
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec) or not spec.command:
        return None
    shell = spec.command[0].rpartition("/")[2]
    line = (*spec.command, *spec.args)
    at = _script_at(line) if shell in _SHELLS else None
    if at is None:
        return None
    text, inside = line[at], len(spec.command)
    words = _words(text, spec.runtime)
    path: Path = ("spec", "command", at) if at < inside else ("spec", "args", at - inside)
    before, after = _divided(text, shell, line[at + 1 : inside], line[max(at + 1, inside) :])
    return Script(
        shell=shell,
        text=text,
        path=path,
        words=words if words is not None else tuple(_split(text)),
        starts=words is not None,
        before=(*line[inside : at + 1], *before),
        after=after,
    )


def _script_at(line: tuple[str, ...]) -> int | None:
    """Return the index of the word after a shell's `-c`."""
    for at, (before, word) in enumerate(pairwise(line), 1):
        if _OPTION.fullmatch(word):
            return at + 1 if at + 1 < len(line) else None
        # `-o` is followed by the option's name: `bash -euo pipefail -c …`.
        if not word.startswith(("-", "+")) and not (at > 1 and before.endswith("o")):
            return None
    return None


def _divided(
    text: str, shell: str, arguments: tuple[str, ...], args: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the missing `$0`, or the one in the spec's `args`, and the words after it.

    A script that uses `$0` itself accepts any word for it.
    """
    if arguments or _FIRST_WORD.search(text) or not _ALL_WORDS.search(text):
        return (), args
    if args and (args[0] == "--" or not args[0].startswith("-")):
        return args[:1], args[1:]
    return (shell,), args


def _words(text: str, runtime: str) -> tuple[str, ...] | None:
    """Return the words after the server's start, up to the end of its command; None if there is
    none."""
    for part in _ENDS.split(text.replace("\\\n", " ")):
        words = _split(part)
        start = runtimes.after_start(words, runtime)
        if start is not None:
            return tuple(words[start:])
    return None


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
