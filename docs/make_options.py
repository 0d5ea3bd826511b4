"""Write the page of options by release from their tables: `python docs/make_options.py`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuspec.runtimes import options
from gpuspec.runtimes.options import CommandProgram
from gpuspec.runtimes.options.variables import variables

PAGE = Path(__file__).parent / "options.md"

HEAD = """# Options by release

<!-- Made by docs/make_options.py from gpuspec/runtimes/options/data. Do not edit. -->

The linter parses the command lines of these programs as the programs do, and checks each option against the release in
the image's tag. The options of each release are in `gpuspec/runtimes/options/data/<program>.yaml`, with their source. If
the tag names no release, the linter reports only what is a fault in every release of the table, as a warning. If the tag
names a release newer than those of the table, the linter reports only options that a release of the table removed. If the
tag names an older release, it reports nothing. The linter substitutes a variable whose value is in the container, and skips arguments with other variables or templates.
"""

VARIABLES = """## Variables with options

| variable | read by | as |
|---|---|---|
"""

CHECKS = """## Which rule reports it

| fault | rule |
|---|---|
| an option and its value in one item | [GPU739](rules.md#gpu739) |
| a program in `args` although the entrypoint already is one | [GPU740](rules.md#gpu740) |
| a number format that the GPUs do not support | [GPU746](rules.md#gpu746) |
| an option that no release has, that only later releases have, or that was removed | [GPU748](rules.md#gpu748) |
| a value of another type, that is not one of the choices, outside of the bounds, or that is no JSON; a member of JSON that is unknown, or has such a value; a missing value, or an extra one, behind `=` or in the next argument; a value that was removed | [GPU749](rules.md#gpu749) |
| an option without another that it requires, or with one that it excludes; numbers that do not fit together | [GPU750](rules.md#gpu750) |
| an option, or a feature, that the program ignores because of another option, or without one | [GPU967](rules.md#gpu967) |
| the same in an options file in a ConfigMap (vLLM, SGLang); a file that the program does not read because of its name | [GPU798](rules.md#gpu798) |
| a degree of parallelism in such a file, or in TensorRT-LLM's, that does not fit the GPUs | [GPU731](rules.md#gpu731) |
| a key of TensorRT-LLM's file that was removed or is misspelled; a value that is accepted only in capitals | [GPU798](rules.md#gpu798) |
| nested keys of that file | none: they differ by backend and release |
| an unknown option with a single dash, extra arguments | none: the parsers have several meanings for them |
| options that a Secret or a file of the image adds | none: they are not in the manifest |
"""


def text() -> str:
    """The page."""
    known = [options.get(name) for name in options.names()]
    lines = [
        HEAD,
        "## Programs",
        "",
        *_programs(known),
        "",
        "## How each program parses its command line",
        "",
    ]
    lines += [*_reading(known), "", VARIABLES.rstrip(), *_variables(), "", CHECKS]
    return "\n".join(lines).rstrip() + "\n"


def _programs(known: list[CommandProgram]) -> Iterator[str]:
    yield "| program | started by | images with releases or build numbers as tags | releases | options | added | removed |"
    yield "|---|---|---|---|---|---|---|"
    starts = {
        name: [" ".join(words) for words, of in options.phrases() if of == name]
        for name in options.names()
    }
    for one in known:
        first, last = one.releases[0], one.releases[-1]
        names = one.by_name
        came = sum(all(row.since for row in rows) for rows in names.values())
        went = sum(all(row.until for row in rows) for rows in names.values())
        yield (
            f"| {one.title} | {_code(starts[one.name])} | {_code(one.images)} "
            f"| {first} to {last} ({len(one.releases)}) | {len(names)} | {came} | {went} |"
        )


def _reading(known: list[CommandProgram]) -> Iterator[str]:
    yield "| program | abbreviations | underscores | `--a=b` | `--a.b` | stops at the first argument that is no option |"
    yield "|---|---|---|---|---|---|"
    for one in known:
        how = one.parsing
        marks = (how.prefixes, how.underscores, how.joined, how.dotted, how.stops)
        yield f"| {one.title} | {' | '.join('yes' if mark else '–' for mark in marks)} |"


def _variables() -> Iterator[str]:
    for row in variables().lines:
        of = [*row.images, *row.kinds]
        yield f"| `{row.variable}` | {_code(of)} | arguments of {options.get(row.program).title} |"
    for each in variables().each:
        program = options.get(each.program)
        name = next(name for name in program.options[-1].names if name.startswith("--"))
        yield (
            f"| one for each option: `{each.variable(name)}` for `{name}` | {program.title} "
            "| the option's value, unless the command line sets it |"
        )


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "–"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
