"""Write the page of options by release from their tables: `python docs/make_options.py`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuspec.runtimes import options
from gpuspec.runtimes.options import CommandProgram
from gpuspec.runtimes.options.variables import variables

PAGE = Path(__file__).parent / "options.md"

HEAD = """# Options by release

<!-- Made by docs/make_options.py from gpuspec/runtimes/options/data. Do not edit. -->

The linter reads the command lines of these programs as their own parsers do, and holds each option against the
release that the image's tag names. Each option, release by release, stands in
`gpuspec/runtimes/options/data/<program>.yaml`, with its source. Where the tag names no release, only what holds for
every release in the table is said, as a warning; where it names a newer one, only what was gone before; where it names
an older one, nothing. A variable of which the container says the value is filled in; words that hold another one, or a
template, are skipped.
"""

VARIABLES = """## Variables that carry options

| variable | read by | as |
|---|---|---|
"""

CHECKS = """## Which rule speaks

| kind of mistake | rule |
|---|---|
| an option and its value in one item | [GPU739](rules.md#gpu739) |
| a program in `args` behind an entrypoint that is one | [GPU740](rules.md#gpu740) |
| a number format that the GPUs do not have | [GPU746](rules.md#gpu746) |
| an option that no release has, one of later releases, one that was withdrawn | [GPU748](rules.md#gpu748) |
| a value of another type, none of the choices, no JSON; a value that is missing, or one too many, behind `=` or in the next word; one that was withdrawn | [GPU749](rules.md#gpu749) |
| an option without another that it needs, or beside one that it excludes | [GPU750](rules.md#gpu750) |
| the same in a file of options that a ConfigMap holds (vLLM, SGLang); a file that is not read for how it is named | [GPU798](rules.md#gpu798) |
| a degree of parallelism in such a file, of TensorRT-LLM too, against the GPUs | [GPU731](rules.md#gpu731) |
| a key of TensorRT-LLM's file that is gone, or a slip of the pen; a word that is taken in capitals alone | [GPU798](rules.md#gpu798) |
| what lies deeper in that file | none: it differs by backend and release |
| a single dash with one that is not known, other words too many | none: the parsers take them for several things |
| options that a Secret or a file of the image adds | none: they are not in the manifest |
"""


def text() -> str:
    """The page."""
    known = [options.get(name) for name in options.names()]
    lines = [HEAD, "## Programs", "", *_programs(known), "", "## How each reads its line", ""]
    lines += [*_reading(known), "", VARIABLES.rstrip(), *_variables(), "", CHECKS]
    return "\n".join(lines).rstrip() + "\n"


def _programs(known: list[CommandProgram]) -> Iterator[str]:
    yield "| program | started by | images whose tags are releases, or count builds | releases | options | that came | that went |"
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
    yield "| program | cut short | underscores | `--a=b` | `--a.b` | ends at the first word that is no option |"
    yield "|---|---|---|---|---|---|"
    for one in known:
        how = one.parsing
        marks = (how.prefixes, how.underscores, how.joined, how.dotted, how.stops)
        yield f"| {one.title} | {' | '.join('yes' if mark else '–' for mark in marks)} |"


def _variables() -> Iterator[str]:
    for row in variables().lines:
        of = [*row.images, *row.kinds]
        yield f"| `{row.variable}` | {_code(of)} | words of {options.get(row.program).title} |"
    for each in variables().each:
        program = options.get(each.program)
        name = next(name for name in program.options[-1].names if name.startswith("--"))
        yield (
            f"| one for each option: `{each.variable(name)}` for `{name}` | {program.title} "
            "| the option's value, where the line does not say it |"
        )


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "–"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
