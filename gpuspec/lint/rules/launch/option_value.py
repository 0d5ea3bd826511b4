"""An option's value that the program does not take."""

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.serving.carried_options import each_option
from gpuspec.lint.analysis.serving.command_lines import lines_in, lines_of
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import read_decimal
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import (
    Option,
    ParsedOption,
    Problem,
    UnknownValue,
    WrongMember,
    unknown_values,
    wrong_members,
)

RULE = Rule(
    "GPU749",
    "option-value",
    "error",
    "An option has a value that the program rejects",
)
_MOST_CHOICES = 12
_FORMS = {
    "whole": "a whole number",
    "decimal": "a number",
    "boolean": "`true` or `false`",
    "text": "a text",
    "json": "JSON",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield command lines of programs whose options are known, in every container."""
    for line in lines_in(pod, context):
        for option in line.own:
            yield from judged(line, option)
        if line.installs or not line.program.names_by_release:
            continue
        for unknown in unknown_values(line.program, line.releases, line.settings):
            if unknown.option.at >= line.begins:
                yield _of_release(line, unknown)
    for container in pod.every:
        for line, option in each_option(container, lines_of(container)):
            yield from judged(line, option)


def judged(line: ProgramLine, parsed_option: ParsedOption) -> Iterator[RawFinding]:
    """Yield the faults of an option's value."""
    fault = _fault(parsed_option)
    if parsed_option.problem == "ignored":
        yield _ignored(line, parsed_option)
    elif fault is not None:
        yield _of_option(line, parsed_option, fault)
    for wrong in wrong_members(line.program, line.releases, parsed_option):
        yield _of_member(line, parsed_option, wrong)


def _ignored(line: ProgramLine, parsed_option: ParsedOption) -> RawFinding:
    return RawFinding(
        line.words[parsed_option.at].path,
        f"`{parsed_option.name} {parsed_option.value}` turns the option on: {line.program.title} "
        "reads the value of a boolean option only after `=`",
        note=f"write `{parsed_option.name}={parsed_option.value}` to turn it off",
        severity="warning",
    )


def _of_option(line: ProgramLine, parsed_option: ParsedOption, fault: str) -> RawFinding:
    releases, rows = line.releases, parsed_option.rows
    known = (releases.known and not releases.told) or (
        releases.build is not None and all(row.by_build for row in rows)
    )
    note = None
    if parsed_option.problem == "choice":
        note = _choices(rows, parsed_option.value or "")
    elif parsed_option.problem == "range":
        note = _fraction(rows, parsed_option.value or "")
    return RawFinding(
        line.words[parsed_option.value_at].path,
        f"{fault}: {line.program.title} exits at startup",
        note=note or _ADVICE.get(parsed_option.problem or "", "correct the value"),
        severity=None if known else "warning",
        confidence="certain" if known else "likely",
    )


_ADVICE = {
    "missing": "add the value",
    "superfluous": "remove the value",
    "joined": "write the value as the next word",
}
"""What to write, by the problem of an option."""


def _choices(rows: tuple[Option, ...], value: str) -> str | None:
    from gpuspec.escaping.meant import did_you_mean

    choices = {choice for row in rows for choice in row.choices}
    note = did_you_mean(value, choices)
    if note is None and 0 < len(choices) <= _MOST_CHOICES:
        return f"write {choice_of(sorted(choices), _MOST_CHOICES)}"
    return note


def _fraction(rows: tuple[Option, ...], value: str) -> str | None:
    """Return the fraction that was written as a percentage."""
    fraction = (read_decimal(value) or 0) / 100
    if any(row.form == "whole" or not row.has_in_range(fraction) for row in rows):
        return None
    return f"write `{fraction:g}`" if fraction >= 0.01 else None


def _of_member(line: ProgramLine, parsed_option: ParsedOption, wrong: WrongMember) -> RawFinding:
    """Return the finding on a member of an option's JSON."""
    severity, confidence = line.certainty
    name = f"`{wrong.path}` of `{wrong.option}`" if wrong.path else f"`{wrong.option}`"
    value = wrong.value.strip('"')
    if wrong.problem == "unknown":
        release = f"{line.program.title} {line.releases.name}"
        fault: str | None = f"{name} does not exist in {release}"
        note: str | None = _member_note(line, wrong)
    else:
        fault = _fault_of(name, _short(value), wrong.problem, wrong.rows)
        note = _choices(wrong.rows, value) if wrong.problem == "choice" else None
    return RawFinding(
        line.words[parsed_option.value_at].path,
        f"{fault}: {line.program.title} exits at startup",
        note=note,
        severity=severity,
        confidence=confidence,
    )


def _of_release(line: ProgramLine, unknown: UnknownValue) -> RawFinding:
    """Return the finding on a value that the release does not have."""
    from gpuspec.escaping.meant import did_you_mean

    title, (severity, confidence) = line.program.title, line.certainty
    option, dot, member = unknown.name.partition(".")
    name = f"`{member}` of `{option}`" if dot else f"`{option}`"
    note: str | None = None
    match unknown.problem:
        case "later":
            note = f"use an image of {title} {unknown.release} or newer"
        case "gone":
            note = did_you_mean(unknown.value, unknown.values, 0.8) or (
                f"use another value: {title} {unknown.release} was the last release with this one"
            )
        case "unknown":
            note = did_you_mean(unknown.value, unknown.values)
    return RawFinding(
        line.words[unknown.option.value_at].path,
        f"{name} does not accept `{_short(unknown.value)}` in {title} {line.releases.name}: the server "
        "exits at startup",
        note=note,
        severity=severity,
        confidence=confidence,
    )


def _member_note(line: ProgramLine, wrong: WrongMember) -> str:
    from gpuspec.escaping.meant import did_you_mean

    last = wrong.rows[-1].until if wrong.rows else None
    releases = line.program.releases
    if last is not None and releases.index(last) < line.releases.first:
        return f"leave it out: {line.program.title} {last} was the last release that had it"
    if wrong.rows and wrong.rows[0].since is not None:
        return f"use an image of {line.program.title} {wrong.rows[0].since} or newer"
    at, _, key = f"{wrong.option}.{wrong.path}".rpartition(".")
    siblings = {
        name.removeprefix(f"{at}.") for name in line.program.members_by_name if name.startswith(at)
    }
    return did_you_mean(key, {name for name in siblings if "." not in name}) or "leave it out"


def _fault(parsed_option: ParsedOption) -> str | None:
    name, value = f"`{parsed_option.name}`", _short(parsed_option.value or "")
    return _fault_of(name, value, parsed_option.problem, parsed_option.rows)


def _fault_of(
    name: str, value: str, problem: Problem | None, rows: tuple[Option, ...]
) -> str | None:
    match problem:
        case "missing":
            return f"{name} has no value"
        case "superfluous":
            return f"{name} accepts no value, but has `{value}`"
        case "joined":
            return f"{name} needs its value as the next word, not after `=`"
        case "form":
            forms = {row.form for row in rows}
            form = _FORMS[forms.pop() if len(forms) == 1 else "decimal"]
            return f"{name} needs {form}, and `{value}` is not one"
        case "choice":
            return f"{name} does not accept `{value}`"
        case "range":
            return f"{name} needs a number {_range(rows[-1])}, and `{value}` is not one"
        case "json":
            return f"{name} needs JSON, and `{value}` is not JSON"
        case _:
            return None


def _range(row: Option) -> str:
    """Return the bounds of an option in words."""
    lower = [f"above {row.above:g}"] if row.above is not None else []
    lower += [f"from {row.least:g}"] if row.least is not None else []
    upper = [f"up to {row.most:g}"] if row.most is not None else []
    upper += [f"below {row.below:g}"] if row.below is not None else []
    if row.least is not None and not upper:
        return f"of at least {row.least:g}"
    return " and ".join(lower + upper)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
