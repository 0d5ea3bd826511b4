"""An option without one that it needs, or with one that it excludes."""

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.serving.command_lines import lines_and_variables
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import OptionPair, ParsedOption, plain, rows_met

RULE = Rule(
    "GPU750",
    "options-contradict",
    "error",
    "An option lacks another that it requires, or conflicts with one",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield command lines of programs whose options are known, in every container."""
    for line in lines_and_variables(pod, context):
        options = {plain(line.program, option.name): option for option in line.options}
        own_names = {plain(line.program, option.name) for option in line.own}
        for pair in line.program.pairs:
            if pair.option in own_names and _looks(line, pair):
                yield from _judge(line, pair, options)
        if not line.program.refusals:
            continue
        rows = line.program.refusals
        for row, option, fault in rows_met(rows, line.program, line.releases, line.settings):
            if option.at >= line.begins:
                yield _found(line, option, line.in_own_names(fault), row.note)


def _looks(line: ProgramLine, pair: OptionPair) -> bool:
    """Return whether every release in question holds one option against the other."""
    return pair.since is None or line.program.releases.index(pair.since) <= line.releases.first


def _judge(
    line: ProgramLine, pair: OptionPair, options: dict[str, ParsedOption]
) -> Iterator[RawFinding]:
    option = options[pair.option]
    for name in pair.bars:
        if name in options:
            yield _found(
                line,
                option,
                f"`{option.name}` cannot be used with `{options[name].name}`",
                f"remove `{option.name}` or `{options[name].name}`",
            )
    if not pair.needs or any(_is_given(options, need) for need in pair.needs):
        return
    if line.is_complete:
        needs = choice_of(pair.needs)
        advice = f"add {needs}, or remove `{option.name}`"
        yield _found(line, option, f"`{option.name}` needs {needs}", advice)


def _is_given(options: dict[str, ParsedOption], need: str) -> bool:
    """Return whether an option is given, with the required value if there is one, or with an
    unknown value."""
    name, _, value = need.partition("=")
    option = options.get(name)
    if option is None or not value or option.value is None:
        return option is not None
    return option.value.lower() == value or "$" in option.value or "{{" in option.value


def _found(
    line: ProgramLine, option: ParsedOption, fault: str, note: str | None = None
) -> RawFinding:
    severity, confidence = line.certainty
    return RawFinding(
        line.path_of(option),
        f"{fault}: {line.program.title} exits at startup",
        note=note,
        severity=severity,
        confidence=confidence,
    )
