"""Option files of a program in ConfigMaps of the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.reading.mounted import MountedFile, mounted
from gpuspec.lint.analysis.serving.command_lines import lines_of
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.manifests.values import at, items
from gpuspec.objects.command_line import ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.runtimes import options
from gpuspec.runtimes.options import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes.options import ParsedOption

# A model may stand in the file where the line names none: which releases take that is not in the tables.
_ELSEWHERE = frozenset({"model", "config"})


class MergedOptions(msgspec.Struct, frozen=True):
    """A container with the options of its file on its command line."""

    container: PodContainer
    source: MountedFile
    path: Path
    """The path of the option that names the file."""


def file_of(line: ProgramLine) -> ParsedOption | None:
    """Return the option that names a file with more options."""
    files = line.program.parsing.file
    file_options = [option for option in line.own if plain(line.program, option.name) in files]
    return (
        file_options[0]
        if len(file_options) == 1 and file_options[0].problem is None and file_options[0].value
        else None
    )


def line_of(
    line: ProgramLine, file: ParsedOption, pod: Pod, container: PodContainer, collection: Collection
) -> tuple[MountedFile, ProgramLine] | None:
    """Return a mounted file as the command line that the program makes of it; each word has its
    path in the file."""
    source = mounted(pod, container, file.value or "", collection)
    if source is None:
        return None
    words = tuple(_words(source))
    parsed_options = tuple(options.read(line.program, line.releases, [word.text for word in words]))
    return source, msgspec.structs.replace(line, words=words, options=parsed_options, begins=0)


def merged(pod: Pod, container: PodContainer, collection: Collection) -> MergedOptions | None:
    """Return a container with the words of its file in place of the option that names it.

    None without such a file, and if file and command line set the same option: precedence differs
    between releases.
    """
    for line in lines_of(container):
        file = file_of(line)
        if file is None or file.value_at == file.at:
            continue
        source = mounted(pod, container, file.value or "", collection)
        if source is None:
            continue
        words = [word.text for word in _words(source)]
        names = {plain(line.program, option.name) for option in line.options}
        path = line.words[file.value_at].path
        remaining_words = _without(container, [line.words[file.at], line.words[file.value_at]])
        if remaining_words is None or not names.isdisjoint(
            plain(line.program, word) for word in words
        ):
            return None
        value = {**container.value, str(path[-2]): [*remaining_words, *words]}
        return MergedOptions(PodContainer(value, container.path(), container.stage), source, path)
    return None


def _without(container: PodContainer, words: list[ArgumentWord]) -> list[Any] | None:
    """Return the list with these words, without them; None if they are parts of a script."""
    places = [word.path[-2:] for word in words]
    if any(
        at(container.value, place) != word.text for place, word in zip(places, words, strict=True)
    ):
        return None
    field = str(places[0][0])
    indexes = {index for word_field, index in places if word_field == field}
    word_list = items(container.value.get(field)) if len(indexes) == len(words) else None
    if word_list is None:
        return None
    return [word for index, word in enumerate(word_list) if index not in indexes]


def _words(source: MountedFile) -> Iterator[ArgumentWord]:
    """Yield the words that the programs make of a file, key by key, without options that are
    off."""
    for key, value in source.settings.items():
        if not isinstance(key, str) or key in _ELSEWHERE or value is None or value is False:
            continue
        values = _values(value)
        if values or value is True:
            yield ArgumentWord(f"--{key}", (key,))
            yield from (ArgumentWord(text, (key,)) for text in values)


def _values(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):
        return [json.dumps(value)]
    return [] if value is True else [str(value)]
