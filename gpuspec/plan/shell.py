"""A server that a shell's script starts, in `command` or `args`: what it says, and what it hands on.

`sh -c SCRIPT A B` runs the script with A as `$0` and B as `$1`: words that stand behind a script reach
what it starts only where it says so.
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
    """A script, where it stands, and what the spec has behind it."""

    shell: str
    text: str
    path: Path
    words: tuple[str, ...]
    """Those behind the server's start; all of them where it starts no server that is known."""
    starts: bool
    before: tuple[str, ...]
    """What of `args` stands before the words for it: itself, where it is there, and its `$0`."""
    after: tuple[str, ...]
    """The rest of `args`."""

    @property
    def hands_on(self) -> bool:
        """Whether what it starts is given the words that stand behind it."""
        return _ALL_WORDS.search(self.text) is not None

    def says(self, setting: ServerSetting) -> bool:
        """Return whether an option of it says a setting."""
        return bool(setting.flags & {runtimes.flag(word) for word in self.words})

    def line(self, words: list[str]) -> list[str]:
        """Return `args`, with words for what it starts where it hands any on."""
        handed = words if self.hands_on else []
        return [*self.before, *handed, *self.after]


def script_of(resolution: Resolution) -> Script | None:
    """Return the script that starts a workload's server; None where no shell is told one."""
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
    """Return the place of the word behind a shell's `-c`."""
    for at, (before, word) in enumerate(pairwise(line), 1):
        if _OPTION.fullmatch(word):
            return at + 1 if at + 1 < len(line) else None
        # `-o` is followed by the option's name: `bash -euo pipefail -c …`.
        if not word.startswith(("-", "+")) and not (at > 1 and before.endswith("o")):
            return None
    return None


def _divided(
    text: str, shell: str, said: tuple[str, ...], args: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the `$0` that is missing, or that the spec gives in `args`, and what stands behind it.

    A script that reads `$0` itself takes any word for it.
    """
    if said or _FIRST_WORD.search(text) or not _ALL_WORDS.search(text):
        return (), args
    if args and (args[0] == "--" or not args[0].startswith("-")):
        return args[:1], args[1:]
    return (shell,), args


def _words(text: str, runtime: str) -> tuple[str, ...] | None:
    """Return the words behind the server's start, up to the end of its command; None where there is
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
