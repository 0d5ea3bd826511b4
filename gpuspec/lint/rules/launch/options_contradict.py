"""An option without the one that it needs."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.serving.command_lines import Line, lines_of
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import Pair, plain

RULE = Rule(
    "GPU750",
    "options-contradict",
    "error",
    "A program is given an option without another that it needs",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Command lines of programs whose options are known, in every container."""
    for container in pod.every:
        for line in lines_of(container):
            for pair in line.program.pairs:
                yield from _judge(line, pair)


def _judge(line: Line, pair: Pair) -> Iterator[Found]:
    program, newer = line.program, line.releases.newer
    if program.releases.index(pair.since) > line.releases.first:
        return
    told = {plain(program, one.name): one for one in line.told}
    option = told.get(pair.option)
    # A file, a variable or a template may hold the other.
    if option is None or not told.keys().isdisjoint((*program.parsing.file, *pair.needs)):
        return
    if any(word.text.startswith(("$", "{")) for word in line.words):
        return
    yield Found(
        line.words[option.at].path,
        f"`{option.name}` needs `{' or '.join(pair.needs)}`: {program.title} ends at its start",
        severity="warning" if newer else None,
        confidence="likely" if newer else "certain",
    )
