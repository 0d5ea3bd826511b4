"""Files of options that a program is told to read, where a ConfigMap of the run holds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.subjects.reading.mounted import Mounted, mounted
from gpuspec.objects.words import Word
from gpuspec.runtimes import options
from gpuspec.runtimes.options import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.subjects.serving.command_lines import Line
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import Container
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes.options import Told

# A model may stand in the file where the line names none: which releases take that is not in the tables.
_ELSEWHERE = frozenset({"model", "config"})


def file_of(line: Line) -> Told | None:
    """The option that names a file of options whose keys are those of the program."""
    parsing = line.program.parsing
    if not parsing.file_keys:
        return None
    told = [one for one in line.own if plain(line.program, one.name) in parsing.file]
    return told[0] if len(told) == 1 and told[0].problem is None and told[0].value else None


def line_of(
    line: Line, file: Told, pod: Pod, container: Container, collection: Collection
) -> tuple[Mounted, Line] | None:
    """What a mounted file tells the program, as the command line that it makes of it; each word's path
    is that in the file."""
    source = mounted(pod, container, file.value or "", collection)
    if source is None:
        return None
    words = [word for key, value in source.settings.items() for word in _words(key, value)]
    told = tuple(options.read(line.program, line.releases, [word.text for word in words]))
    return source, msgspec.structs.replace(line, words=tuple(words), told=told, begins=0)


def _words(key: object, value: Any) -> Iterator[Word]:
    """The words of one key, as the programs write them; nothing for what they turn off."""
    if not isinstance(key, str) or key in _ELSEWHERE or value is None or value is False:
        return
    path = (key,)
    if isinstance(value, list):
        values = [str(each) for each in value]
    elif isinstance(value, dict):
        values = [json.dumps(value)]
    else:
        values = [] if value is True else [str(value)]
    if values or value is True:
        yield Word(f"--{key}", path)
        yield from (Word(text, path) for text in values)
