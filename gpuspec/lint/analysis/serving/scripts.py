"""Split a line of a shell script into simple commands."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.command_line import SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_SEPARATORS = frozenset("();<>|&")
# `2>&1` and `>/log`: streams, which end no command; elsewhere the number alone is no word of it.
_STREAMS = re.compile(r"[0-9]*(?:>>?|<)(?:&[0-9-]|\s*/[^\s;|&<>()]+)|&>>?\s*/[^\s;|&<>()]+")
_STREAM = re.compile(r"(?<=\s)[0-9](?=[<>])")
# Where a container has commands of its own beside its program: hooks, and probes that run one.
_HANDLERS = (
    ("lifecycle", "postStart"),
    ("lifecycle", "preStop"),
    ("startupProbe",),
    ("readinessProbe",),
    ("livenessProbe",),
)


# KubeRay 1.6, controllers/ray/common/pod.go: what it makes of the first container of a node's pod.
_RAY_NODES = frozenset({"headGroupSpec", "workerGroupSpecs"})
_KEEPS_COMMAND = "ray.io/overwrite-container-cmd"


class ScriptCommand(NamedTuple):
    """One simple command."""

    words: list[str]
    end: str
    """The operator after it; empty for the last one of the line."""


class WordList(NamedTuple):
    """The words that the kubelet hands to the kernel, and where each of them is written."""

    words: list[str]
    places: list[Path]

    @property
    def script_at(self) -> int | None:
        """Which word is a shell's script, or would be; None if no shell gets one with `-c`."""
        if not self.words or not is_shell(self.words[0]):
            return None
        has_script = False
        for index, word in enumerate(self.words[1:], 1):
            if not word.startswith(("-", "+")):
                return index if has_script else None
            if word == "--":
                return index + 1 if has_script else None
            has_script = has_script or (not word.startswith("--") and "c" in word)
        return len(self.words) if has_script else None


def is_shell(word: str) -> bool:
    """Return whether a word is a shell, or the path of one."""
    return word.rpartition("/")[2] in SHELLS


def main_words(container: PodContainer) -> WordList | None:
    """Return the words of `command` and `args`; None if one of them is no text."""
    words, places = [], []
    for field in ("command", "args"):
        for index, word in enumerate(items(container.value.get(field))):
            if not isinstance(word, str):
                return None
            words.append(word)
            places.append(container.path(field, index))
    return WordList(words, places)


def is_joined(pod: Pod, container: PodContainer) -> bool:
    """Return whether KubeRay joins a container's words to a line for Bash, before `ray start`."""
    if pod.object.group != "ray.io" or _RAY_NODES.isdisjoint(pod.base):
        return False
    annotations = mapping(pod.metadata.get("annotations"))
    if (
        text(annotations.get(_KEEPS_COMMAND)).lower() == "true"
        or container is not pod.containers[0]
    ):
        return False
    line = main_words(container)
    return line is None or "ray start" not in " ".join(line.words)


def handler_words(container: PodContainer) -> Iterator[tuple[str, WordList]]:
    """Yield the commands of hooks and probes, each with its field's name."""
    for steps in _HANDLERS:
        handler = mapping(container.value)
        for step in steps:
            handler = mapping(handler.get(step))
        words = items(mapping(handler.get("exec")).get("command"))
        if words and all(isinstance(word, str) for word in words):
            path = container.path(*steps, "exec", "command")
            yield steps[-1], WordList(words, [(*path, index) for index in range(len(words))])


def script_lines(script: str) -> list[str]:
    """Return the lines of a script, with continued lines joined."""
    return script.replace("\\\n", " ").splitlines()


def commands_of(line: str) -> list[ScriptCommand] | None:
    """Return the simple commands of a line; None for unbalanced quotes."""
    lexer = shlex.shlex(
        _STREAM.sub("", _STREAMS.sub(" ", line)), posix=True, punctuation_chars=True
    )
    lexer.commenters = ""
    lexer.whitespace_split = True
    script_commands: list[ScriptCommand] = []
    words: list[str] = []
    try:
        for token in lexer:
            if token.startswith("#"):
                break
            if _SEPARATORS.issuperset(token):
                script_commands.append(ScriptCommand(words, token))
                words = []
            else:
                words.append(token)
    except ValueError:
        return None
    if words:
        script_commands.append(ScriptCommand(words, ""))
    return script_commands
