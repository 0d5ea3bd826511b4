"""An option that a program's release does not have."""

from collections.abc import Iterable, Iterator

from gpuspec.lint.analysis.serving.command_lines import lines_in
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.context import Context
from gpuspec.lint.model import Confidence, RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import CommandProgram, ParsedOption, plain
from gpuspec.settings.severity import Severity

RULE = Rule(
    "GPU748",
    "unknown-option",
    "error",
    "An option does not exist in the program's release",
)
_PROBLEMS = ("unknown", "later", "gone")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield command lines of programs whose options are known, in every container."""
    for line in lines_in(pod, context):
        for option in line.own:
            yield from judged(line, option)


def _as_named(program: CommandProgram) -> Iterable[str]:
    """Return the options' names as every release takes them."""
    if program.parsing.dashes_since is None:
        return program.by_name
    return ("--" + name[2:].replace("-", "_") for name in program.by_name if name.startswith("--"))


def judged(line: ProgramLine, parsed_option: ParsedOption) -> Iterator[RawFinding]:
    """Yield the finding for an option that the possible releases do not have."""
    if parsed_option.problem not in _PROBLEMS:
        return
    from gpuspec.escaping.meant import did_you_mean

    title, releases = line.program.title, line.releases
    path = line.words[parsed_option.at].path
    name = plain(line.program, parsed_option.name)
    rows = line.program.by_name.get(name, ())
    # What an annotation calls the release is not always what the image holds.
    severity: Severity | None = "warning" if releases.doubtful else None
    sure: Confidence = "likely" if releases.doubtful else "certain"
    if parsed_option.problem == "unknown":
        note = did_you_mean(name, _as_named(line.program), likeness=0.8)
        if releases.known:
            message = (
                f"{title} {releases.name} has no option `{parsed_option.name}`: it exits at startup"
            )
            yield RawFinding(
                path, message, note=note or "remove the option", severity=severity, confidence=sure
            )
        elif note is not None:
            message = f"no known release of {title} has an option `{parsed_option.name}`"
            yield RawFinding(path, message, note=note, severity="warning", confidence="likely")
    elif parsed_option.problem == "later":
        later = "a later build" if line.program.builds else "a later release"
        exact = () if line.program.builds else rows
        since = next((row.since for row in exact if row.since), later)
        yield RawFinding(
            path,
            f"{title} has `{parsed_option.name}` since {since}, but the image contains "
            f"{releases.name}: it exits at startup",
            note=f"use {title} {since} or newer, or remove the option",
            severity=severity,
            confidence=sure,
        )
    else:
        instead = line.program.replaced.get(name)
        if instead is None and parsed_option.name == name[1:]:
            instead = f"{name}, with two dashes"
        moves = ", and `latest` is at least that new" if releases.moves else ""
        if releases.guessed:
            moves, severity, sure = (
                ", unless its runtime is older",
                "info",
                "possible",
            )
        yield RawFinding(
            path,
            f"{title} {releases.name} no longer has `{parsed_option.name}`: it exits at startup{moves}",
            note=_instead(instead),
            severity=severity,
            confidence=sure,
        )


def _instead(replacement: str | None) -> str:
    """Return what to write for an option that a release no longer has."""
    if replacement is None:
        return "remove the option"
    nothing, is_nothing, why = replacement.partition("nothing, since ")
    return (
        f"remove the option: {why}" if is_nothing and not nothing else f"use {replacement} instead"
    )
