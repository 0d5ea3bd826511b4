"""Options of a program in variables of its container."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.manifests.values import mapping, text
from gpuspec.numbers import read_signed
from gpuspec.objects.command_line import ArgumentWord
from gpuspec.objects.variables import literal
from gpuspec.runtimes import options
from gpuspec.runtimes.options import ParsedOption, plain
from gpuspec.runtimes.options.variables import Each, LineVariable, variables
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.runtimes.options import Option


def carried(pod: Pod, container: PodContainer) -> Iterator[ProgramLine]:
    """Yield the parts of command lines in variables of a container."""
    for row in variables().lines:
        if row.variable not in container.env or not _reads(row, pod.object, container):
            continue
        words = _words(row.variable, container)
        program = options.get(row.program)
        releases = options.releases_of(program, _image(container))
        if words and releases is not None:
            parsed = options.read(program, releases, [word.text for word in words])
            yield ProgramLine(program, releases, words, tuple(parsed), carried=row.variable)


def handed_on(container: PodContainer) -> tuple[LineVariable, tuple[ArgumentWord, ...]] | None:
    """Return the options that a server's image passes to its engine, and their variable."""
    for row in variables().lines:
        if row.images and row.variable in container.env and _is_read_by_image(row, container):
            return row, _words(row.variable, container)
    return None


def _reads(row: LineVariable, obj: Object, container: PodContainer) -> bool:
    """Return whether the program in a container reads the variable."""
    if row.images:
        return _is_read_by_image(row, container)
    return f"{obj.group}/{obj.kind}" in row.kinds and not container.value.get("command")


def _is_read_by_image(row: LineVariable, container: PodContainer) -> bool:
    image = _image(container)
    repository = image.partition("@")[0].rpartition(":")[0]
    return (
        is_image(image, row.images)
        and not any(word in repository for word in row.without)
        and container.env.keys().isdisjoint(row.unless)
    )


def _image(container: PodContainer) -> str:
    """Return the image; a NIMService states it in parts."""
    parts = mapping(container.value.get("image"))
    return f"{text(parts.get('repository'))}:{text(parts.get('tag'))}" if parts else container.image


def _words(name: str, container: PodContainer) -> tuple[ArgumentWord, ...]:
    """Return the words of a variable; empty if it is absent, or contains unknown parts."""
    value = literal(container.env_value(name), container.value)
    if value is None:
        return ()
    path = (*container.env_path(name), "value")
    try:
        return tuple(ArgumentWord(word, path) for word in shlex.split(value))
    except ValueError:
        return ()


def each_option(
    container: PodContainer, lines: tuple[ProgramLine, ...]
) -> Iterator[tuple[ProgramLine, ParsedOption]]:
    """Yield options that a program reads from one variable each, with the error of the value.

    `lines` are the programs that the container starts.
    """
    for row in variables().each:
        if row.begins and not any(name.startswith(row.begins) for name in container.env):
            continue
        line = _line(row, container, lines)
        if line is None:
            continue
        names = {plain(line.program, option.name) for option in line.options}
        for option in line.program.options:
            name = next(
                (option_name for option_name in option.names if option_name.startswith("--")), None
            )
            if name is not None and (name not in names or name in row.switches):
                yield from _judged(row, line, option, name, container)


_ON = frozenset({"1", "true"})
_OFF = frozenset({"0", "false"})


def with_variables(line: ProgramLine, container: PodContainer) -> ProgramLine:
    """Return a program's line with the options that the program reads from one variable each."""
    row = next((row for row in variables().each if row.program == line.program.name), None)
    if row is None:
        return line
    parsed_options: list[ParsedOption] = []
    words: list[ArgumentWord] = []
    is_open = bool(container.value.get("envFrom"))
    for name, rows in line.program.by_name.items():
        variable = row.variable(name) if name.startswith("--") else ""
        if variable not in container.env:
            continue
        released_rows = tuple(
            option for option in rows if options.holds(line.program, option, line.releases)
        )
        value = container.env_value(variable)
        if {option.takes for option in released_rows} == {"nothing"} and value not in _ON:
            is_open = is_open or value not in _OFF
        elif released_rows and value != "":
            at = len(line.words) + len(words)
            parsed_options.append(ParsedOption(name, value, at, at, released_rows))
            path = container.env_path(variable)
            words.append(ArgumentWord(variable, path if value is None else (*path, "value")))
    return msgspec.structs.replace(
        line,
        from_variables=tuple(parsed_options),
        variable_words=tuple(words),
        more_variables=is_open,
    )


def lines_by_variables(
    container: PodContainer, lines: tuple[ProgramLine, ...]
) -> Iterator[ProgramLine]:
    """Yield the programs that an image starts without arguments, with their variables."""
    if container.value.get("command") or container.value.get("args"):
        return
    for row in variables().each:
        line = _line(row, container, lines)
        if line is not None:
            yield with_variables(line, container)


def _line(row: Each, container: PodContainer, lines: tuple[ProgramLine, ...]) -> ProgramLine | None:
    """Return the program's command line in the container; None if the image itself starts it."""
    program_line = next((line for line in lines if line.program.name == row.program), None)
    if program_line is not None or container.value.get("command"):
        return program_line
    if runtimes.recognise(container.image) != row.program:
        return None
    program = options.get(row.program)
    releases = options.releases_of(program, container.image)
    return None if releases is None else ProgramLine(program, releases, (), ())


def _judged(
    row: Each, line: ProgramLine, option: Option, name: str, container: PodContainer
) -> Iterator[tuple[ProgramLine, ParsedOption]]:
    variable = row.variable(name)
    value = container.env_value(variable)
    if not value or "$" in value or not options.holds(line.program, option, line.releases):
        return
    path = (*container.env_path(variable), "value")
    words = (ArgumentWord(name, path), ArgumentWord(value, path))
    program_line = msgspec.structs.replace(line, words=words, begins=0, carried=variable)
    if name in row.switches:
        whole = msgspec.structs.replace(option, takes="one", form="whole")
        if read_signed(value) is None:
            yield program_line, ParsedOption(variable, value, 0, 1, (whole,), problem="form")
        return
    if option.takes != "one" or (option.choices and not row.choices):
        return
    for parsed in options.read(line.program, line.releases, [name, value]):
        if parsed.problem == "choice" or (parsed.problem == "form" and row.forms):
            yield program_line, msgspec.structs.replace(parsed, name=variable)
