"""The server's command line in the spec itself: in `command`, and in `args` after it."""

import re
from collections.abc import Iterator

import msgspec

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.shell import script_of
from gpuspec.runtimes import ServerSetting
from gpuspec.spec import InferenceSpec

_ELSEWHERE = re.compile(r"[/.~]|[a-z0-9]+://")
"""The start of a model that is no hub name: a folder, or a URL."""


class CommandWord(msgspec.Struct, frozen=True):
    """A word of the command line, with its path in the spec."""

    text: str
    path: Path


class NamedModel(msgspec.Struct, frozen=True):
    """The model in the command line."""

    name: str
    path: Path
    option: str | None
    """The option with the model; None if it is the first word."""

    @property
    def elsewhere(self) -> bool:
        """Whether it is a folder or a URL, so that no hub is used."""
        return _ELSEWHERE.match(self.name) is not None


def own_line(resolution: Resolution) -> tuple[CommandWord, ...]:
    """Return the words after the server's start; none for a command that starts something else.

    Without a `command` these are `args`, and gpuspec writes the start. In a shell script they are
    those of the command in it; values of variables are unknown.
    """
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec):
        return ()
    if (script := script_of(resolution)) is not None:
        words = script.words if script.starts else ()
        return tuple(CommandWord(text, script.path) for text in words if not text.startswith("$"))
    args = _words("args", spec.args, 0)
    if not spec.command:
        return (*args,)
    start = runtimes.after_start(spec.command, spec.runtime)
    return () if start is None else (*_words("command", spec.command, start), *args)


def named_model(resolution: Resolution) -> NamedModel | None:
    """Return the model in the command line, so that gpuspec adds none."""
    settings, line = resolution.runtime.settings, own_line(resolution)
    for setting in (settings.model, settings.path):
        if (
            setting is not None
            and (option_value := next(option_values(line, setting), None)) is not None
        ):
            option, value = option_value
            return NamedModel(value.text, value.path, option)
    if settings.model is None or not settings.model.arguments or not line:
        return None
    first = line[0]
    if settings.model.arguments[0] != "{model}" or first.text.startswith("-"):
        return None
    return NamedModel(first.text, first.path, None)


def option_values(
    line: tuple[CommandWord, ...], setting: ServerSetting
) -> Iterator[tuple[str, CommandWord]]:
    """Yield the options of a setting in a command line, each with its value."""
    texts = [word.text for word in line]
    for index, word in enumerate(line):
        if runtimes.flag(word.text) in setting.flags:
            value = runtimes.value_of(texts, index) or ""
            yield word.text.partition("=")[0], CommandWord(value, word.path)


def _words(field: str, words: tuple[str, ...], start: int) -> Iterator[CommandWord]:
    for index, text in enumerate(words[start:], start):
        yield CommandWord(text, ("spec", field, index))
