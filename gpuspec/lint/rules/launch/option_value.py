"""An option's value that the program does not take."""

import json
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.carried_options import each_option
from gpuspec.lint.analysis.serving.command_lines import lines_in, lines_of
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import ParsedOption, RefusedValues, plain

RULE = Rule(
    "GPU749",
    "option-value",
    "error",
    "An option has a value that the program rejects",
)
_MOST_CHOICES = 12


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield command lines of programs whose options are known, in every container."""
    for line in lines_in(pod, context):
        for option in line.own:
            yield from judged(line, option)
    for container in pod.every:
        for line, option in each_option(container, lines_of(container)):
            yield from judged(line, option)


def judged(line: ProgramLine, parsed_option: ParsedOption) -> Iterator[RawFinding]:
    """Yield what is said of an option's value."""
    said = _said(parsed_option)
    if parsed_option.problem == "ignored":
        yield _ignored(line, parsed_option)
    elif said is not None:
        yield _found(line, parsed_option, said)
    for refused in line.program.refused:
        yield from _withdrawn(line, parsed_option, refused)


def _withdrawn(
    line: ProgramLine, parsed_option: ParsedOption, refused: RefusedValues
) -> Iterator[RawFinding]:
    """Yield a member of an option's JSON whose value no release in question takes any more."""
    program, value = line.program, parsed_option.value
    if plain(program, parsed_option.name) != refused.option or value is None or "$" in value:
        return
    if program.releases.index(refused.since) > line.releases.first:
        return
    try:
        members = mapping(json.loads(value))
    except (ValueError, RecursionError):
        return
    name = text(members.get(refused.member))
    if name not in refused.values or refused.unless in members:
        return
    instead = refused.instead.get(name)
    newer = line.releases.doubtful
    yield RawFinding(
        line.words[parsed_option.value_at].path,
        f"{program.title} {line.releases.name} does not know `{name}` as `{refused.member}`: it "
        "exits at startup",
        note=None if instead is None else f"use `{instead}` instead",
        severity="warning" if newer else None,
        confidence="likely" if newer else "certain",
    )


def _ignored(line: ProgramLine, parsed_option: ParsedOption) -> RawFinding:
    return RawFinding(
        line.words[parsed_option.at].path,
        f"`{parsed_option.name} {parsed_option.value}` turns the option on: {line.program.title} "
        "reads the value of a boolean option only after `=`",
        note=f"write `{parsed_option.name}={parsed_option.value}` to turn it off",
        severity="warning",
    )


def _found(line: ProgramLine, parsed_option: ParsedOption, said: str) -> RawFinding:
    from gpuspec.escaping.meant import did_you_mean

    title, releases = line.program.title, line.releases
    known = (releases.known and not releases.told) or (
        releases.build is not None and all(row.by_build for row in parsed_option.rows)
    )
    choices = {choice for row in parsed_option.rows for choice in row.choices}
    note = (
        did_you_mean(parsed_option.value or "", choices)
        if parsed_option.problem == "choice"
        else None
    )
    if (
        parsed_option.problem == "choice"
        and choices
        and note is None
        and len(choices) <= _MOST_CHOICES
    ):
        note = f"write one of {', '.join(f'`{choice}`' for choice in sorted(choices))}"
    return RawFinding(
        line.words[parsed_option.value_at].path,
        f"{said}: {title} exits at startup",
        note=note,
        severity=None if known else "warning",
        confidence="certain" if known else "likely",
    )


def _said(parsed_option: ParsedOption) -> str | None:
    name, value = parsed_option.name, _short(parsed_option.value or "")
    match parsed_option.problem:
        case "missing":
            return f"`{name}` has no value"
        case "superfluous":
            return f"`{name}` accepts no value, but has `{value}`"
        case "joined":
            return f"`{name}` needs its value as the next word, not after `=`"
        case "form":
            whole = all(row.form == "whole" for row in parsed_option.rows)
            return (
                f"`{name}` needs a {'whole number' if whole else 'number'}, and `{value}` is not "
                "one"
            )
        case "choice":
            return f"`{name}` does not accept `{value}`"
        case "json":
            return f"`{name}` needs JSON, and `{value}` is not JSON"
        case _:
            return None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
