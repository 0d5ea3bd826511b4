"""Command lines of programs with known options, by container and release."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.carried_options import (
    carried,
    lines_by_variables,
    with_variables,
)
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.analysis.serving.scripts import commands_of, script_lines
from gpuspec.lint.analysis.serving.serving_runtimes import (
    RELEASE,
    ServingRuntimeUse,
    format_of,
    runtime_of,
)
from gpuspec.manifests.values import items, text
from gpuspec.objects.command_line import SHELLS, ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.lazy import kept
from gpuspec.objects.variables import filled, plain_variables
from gpuspec.runtimes import options
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes.options import CommandProgram


# Behind these a program's name is that of a package, or a word to print or to look for.
_OTHERS = frozenset(
    {"install", "uninstall", "echo", "printf", "which", "pgrep", "pkill", "killall"}
)


def lines_in(pod: Pod, context: Context) -> Iterator[ProgramLine]:
    """Yield the programs that a pod's containers start, with the release in an annotation, and
    after the arguments of the object's runtime."""
    release_text = text(pod.object.annotations.get(RELEASE))
    for container in pod.every:
        yield from carried(pod, container)
        runtime = runtime_of(pod, container, context)
        if runtime is not None:
            yield from _behind(runtime, container)
        elif release_text:
            yield from _told(container, release_text)
        elif (name := format_of(pod, container)) in options.names():
            yield from _guessed(container, name)
        else:
            yield from lines_of(container)


def lines_and_variables(pod: Pod, context: Context) -> Iterator[ProgramLine]:
    """Yield the programs of a pod, those too that have their options in variables alone."""
    yield from lines_in(pod, context)
    for container in pod.every:
        yield from lines_by_variables(container, lines_of(container))


def _guessed(container: PodContainer, name: str) -> Iterator[ProgramLine]:
    """Yield the options of a model for the server named by its format, of an unknown release."""
    start = next(list(phrase) for phrase, program in options.phrases() if program == name)
    whole = PodContainer({**container.value, "command": start}, container.path(), container.stage)
    for line in _told(whole, ""):
        last = msgspec.structs.replace(line.releases, guessed=True, name=line.program.releases[-1])
        parsed_options = options.read(line.program, last, [word.text for word in line.words])
        gone = tuple(option for option in parsed_options if option.problem == "gone")
        yield msgspec.structs.replace(line, releases=last, options=gone)


def _behind(runtime: ServingRuntimeUse, container: PodContainer) -> Iterator[ProgramLine]:
    """Yield the programs that KServe starts: the runtime's own, with the object's arguments after
    its own."""
    before, own_args = (
        items(runtime.container.value.get("args")),
        items(container.value.get("args")),
    )
    merged = PodContainer(
        {**runtime.container.value, **container.value, "args": [*before, *own_args]},
        container.path(),
        container.stage,
    )
    for line in _told(merged, runtime.release):
        places = [_place(word, container, len(before)) for word in line.words]
        begins = next((at for at, path in enumerate(places) if path is not None), len(places))
        words = [
            word if path is None else ArgumentWord(word.text, path)
            for word, path in zip(line.words, places, strict=True)
        ]
        # The variables may be the runtime's.
        yield msgspec.structs.replace(
            line,
            words=tuple(words),
            begins=begins,
            from_variables=(),
            variable_words=(),
            more_variables=bool(line.from_variables) or line.more_variables,
        )


def _place(word: ArgumentWord, container: PodContainer, before: int) -> Path | None:
    """Return the path in the object of a word in the merged command line; None for one of the
    runtime."""
    field, index = word.path[-2:]
    if field != "args" or not isinstance(index, int) or index < before:
        return None
    return container.path("args", index - before)


@kept
def lines_of(container: PodContainer) -> tuple[ProgramLine, ...]:
    """Return the programs with known options that a container starts."""
    return _told(container, "")


def _told(container: PodContainer, runtime_version: str) -> tuple[ProgramLine, ...]:
    program_lines: list[ProgramLine] = []
    for program, words in _programs(container):
        releases = options.releases_of(program, container.image, runtime_version)
        if releases is None or _is_another(program, words):
            continue
        parsed_options = options.read(program, releases, [word.text for word in words])
        compared = {
            name[1:]: container.env_value(name[1:])
            for name in program.compared_variables
            if name[1:] in container.env
        }
        line = ProgramLine(
            program,
            releases,
            tuple(words),
            tuple(parsed_options),
            variables=compared,
            installs=container.words.has("install") is not None,
        )
        program_lines.append(with_variables(line, container))
    return tuple(program_lines)


def _is_another(program: CommandProgram, words: list[ArgumentWord]) -> bool:
    """Return whether a word selects another mode, with other options."""
    return any(word.text.partition("=")[0] in program.parsing.elsewhere for word in words)


def _programs(container: PodContainer) -> Iterator[tuple[CommandProgram, list[ArgumentWord]]]:
    """Yield each program with the words after it."""
    command, args = items(container.value.get("command")), items(container.value.get("args"))
    if not all(isinstance(word, str) for word in (*command, *args)):
        return
    first = len(command)
    argument_words = [
        ArgumentWord(
            text,
            container.path("command", at) if at < first else container.path("args", at - first),
        )
        for at, text in enumerate([*command, *args])
    ]
    if not argument_words:
        return
    variables = plain_variables(container.value, container.path())
    words = [
        ArgumentWord(resolved_word.text, resolved_word.path or word.path)
        for word in argument_words
        for resolved_word in filled(word.text, variables)
    ]
    word = container.words.has(*options.beginnings())
    if word is None:
        if not command and container.starts_entrypoint:
            yield from _by_image(container, words)
        return
    for line in _lines(words, variables):
        yield from _started(line)


def _by_image(
    container: PodContainer, words: list[ArgumentWord]
) -> Iterator[tuple[CommandProgram, list[ArgumentWord]]]:
    """Yield the server, or another program, that the image's entrypoint starts with `args`."""
    for repositories, program_name in options.images():
        if is_image(container.image, repositories):
            yield options.get(program_name), words
            return
    name = runtimes.recognise(container.image)
    if name not in options.names():
        return
    entrypoint = runtimes.entrypoint(name, container.image)
    if entrypoint == "command":
        before = runtimes.before_args(name, container.image)
        yield from _started(
            [*(ArgumentWord(text, container.path("image")) for text in before), *words]
        )
        return
    # Of a server's image whose entrypoint is not known, only what takes options can be it.
    if entrypoint != "server" and (entrypoint or not words[0].text.startswith("-")):
        return
    program = options.get(name)
    if not words[0].text.startswith("-") and program.parsing.words != "one":
        return
    launch = runtimes.get(name).launch
    divided = launch is not None and launch.divides
    yield program, [part for word in words for part in _parts(word, divided)]


def _parts(word: ArgumentWord, divided: bool) -> list[ArgumentWord]:
    """Return the words into which an entrypoint without quotes splits one."""
    return [ArgumentWord(text, word.path) for text in word.text.split()] if divided else [word]


def _lines(
    words: list[ArgumentWord], variables: dict[str, tuple[str, Path]]
) -> Iterator[list[ArgumentWord]]:
    """Yield the simple commands: the container's own, or those of a shell script."""
    if words[0].text.rpartition("/")[2] not in SHELLS:
        yield words
        return
    for word in words[1:]:
        if word.text.startswith("-") and "\n" not in word.text:
            continue
        # What lies in a here-document is no command.
        if "<<" not in word.text:
            yield from _commands(word, variables)
        return


def _commands(
    script: ArgumentWord, variables: dict[str, tuple[str, Path]]
) -> Iterator[list[ArgumentWord]]:
    for line in script_lines(script.text):
        # Taking a line apart costs a hundred times as much as to see what is not in it.
        if _beginning().search(line) is not None:
            for command in commands_of(line) or ():
                yield [
                    ArgumentWord(resolved_word.text, resolved_word.path or script.path)
                    for text in command.words
                    for resolved_word in filled(text, variables, script.text)
                ]


@cache
def _beginning() -> re.Pattern[str]:
    """Return a pattern for the first word of a program's command."""
    return re.compile("|".join(map(re.escape, sorted(options.beginnings()))))


def _started(words: list[ArgumentWord]) -> Iterator[tuple[CommandProgram, list[ArgumentWord]]]:
    plain = [word.text.rpartition("/")[2] for word in words]
    for phrase, name in options.phrases():
        for at in range(len(plain) - len(phrase) + 1):
            if tuple(plain[at : at + len(phrase)]) == phrase:
                if _OTHERS.isdisjoint(plain[:at]):
                    yield options.get(name), words[at + len(phrase) :]
                return
