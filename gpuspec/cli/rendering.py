"""What `gpuspec render` does, once its arguments are known."""

import sys
from typing import TYPE_CHECKING, Any, Literal

from gpuspec.cli.afterwards import next_steps, say_afterwards, say_notes, words
from gpuspec.cli.codes import REFUSED, Stop
from gpuspec.cli.compose import STDIN, Wanted, read_all, renderings
from gpuspec.cli.terminal import color, data, say, talk, width

if TYPE_CHECKING:
    from pathlib import Path

    from gpuspec import Profile, Rendering, Written

PLACEHOLDER = "{profile}"
Format = Literal["yaml", "json"]


def render_specs(
    specs: list[str],
    cluster: list[str] | None = None,
    output: str | None = None,
    format: Format = "yaml",
    settings: list[str] | None = None,
    templates: str | None = None,
    target: str | None = None,
    no_lint: bool = False,
    check: bool = False,
) -> None:
    """Render specs to stdout or into folders, or compare with what is in the folders.

    Raises `InputError`, `Refusals`, or `Stop` for errors that the linter finds in what was made,
    unless `no_lint`; nothing is printed or written then.
    """
    wanted = read_all(specs, cluster, settings)
    _check_output(wanted, output)
    made = renderings(wanted, templates, target)
    if not no_lint:
        _lint(made, specs[0])
    if check:
        _compare(made, output, specs, format)
        is_new = False
    elif output is None:
        _print(made[0][1], format)
        is_new = True
    else:
        is_new = _write(made, output, specs, format)
    say_notes(made)
    if is_new:
        asked = words(specs, cluster, settings, templates, target)
        say_afterwards(made, next_steps(asked, _folders(made, output)))


def _check_output(wanted: Wanted, output: str | None) -> None:
    """Raise `InputError` for several profiles in one place, and for a place that is none."""
    from gpuspec import InputError, Problem

    names = [profile.name for profile in wanted.profiles]
    rest = (output or "").replace(PLACEHOLDER, "")
    if output == "":
        raise InputError([Problem("-o: the name of the folder is empty")])
    if "{" in rest or "}" in rest:
        hint = f"only {PLACEHOLDER} is replaced, by the profile's name"
        raise InputError([Problem(f"-o {output}: a placeholder that is not known", hint=hint)])
    if len(names) > 1 and PLACEHOLDER not in (output or ""):
        text = f"{len(names)} profiles ({', '.join(names)}) and one output"
        hint = f"write -o 'out/{PLACEHOLDER}/' for a folder each, or name one profile with -c"
        raise InputError([Problem(text, hint=hint)])


def _lint(made: "list[tuple[Profile, list[Rendering]]]", near: str) -> None:
    """Say the errors in what was made, and stop where there are any."""
    from gpuspec import lint_renderings

    failed = False
    for profile, found in made:
        result = lint_renderings(found, near)
        if not result.findings:
            continue
        from gpuspec.report.lint import lint_report

        failed = True
        if len(made) > 1:
            say(f"on profile {profile.name}:")
        talk(lint_report(result, "text", width=width(sys.stderr), color=color(sys.stderr)))
    if failed:
        say("nothing was rendered; --no-lint renders all the same")
        raise Stop(REFUSED)


def _print(found: "list[Rendering]", format: Format) -> None:
    from gpuspec import dump

    data(dump([item for one in found for item in one.objects], format))


def _write(
    made: "list[tuple[Profile, list[Rendering]]]", output: str, specs: list[str], format: Format
) -> bool:
    """Write the folders, and say whether anything in them is new."""
    from gpuspec import write_folders
    from gpuspec.cli.scratch import scratch

    outputs = _outputs(made, output, specs)
    _check_fixed(made, outputs, format)
    with scratch():
        written = write_folders(outputs, format)
    for (folder, *_), done in zip(outputs, written, strict=True):
        say_written(folder, done)
    return any(done.written or done.removed for done in written)


def _folders(made: "list[tuple[Profile, list[Rendering]]]", output: str | None) -> list[str] | None:
    """Each profile's folder; None for what was printed."""
    if output is None:
        return None
    return [output.replace(PLACEHOLDER, profile.name) for profile, _ in made]


def _check_fixed(
    made: "list[tuple[Profile, list[Rendering]]]",
    outputs: "list[tuple[Path, list[dict[str, Any]], list[str | Path]]]",
    format: Format,
) -> None:
    """Raise `InputError` for runs of a fixed name that a sync of the folder could not change."""
    if not any(getattr(one.case.spec, "fixed_name", False) for _, found in made for one in found):
        return
    from gpuspec import check_fixed

    for (folder, *_), (_, found) in zip(outputs, made, strict=True):
        check_fixed(folder, found, format)


def _outputs(
    made: "list[tuple[Profile, list[Rendering]]]", output: str, specs: list[str]
) -> "list[tuple[Path, list[dict[str, Any]], list[str | Path]]]":
    """Each profile's folder, its objects, and what names the run."""
    from pathlib import Path

    paths = [spec if spec == STDIN else Path(spec) for spec in specs]
    return [
        (
            Path(output.replace(PLACEHOLDER, profile.name)),
            [item for one in found for item in one.objects],
            [*paths, profile.name],
        )
        for profile, found in made
    ]


def _compare(
    made: "list[tuple[Profile, list[Rendering]]]",
    output: str | None,
    specs: list[str],
    format: Format,
) -> None:
    """Say what differs in the folders, and stop where anything does."""
    from gpuspec import InputError, Problem, compare_folders

    if output is None:
        raise InputError([Problem("--check compares with a folder", hint="name it with -o")])
    outputs = _outputs(made, output, specs)
    differ = False
    for (folder, *_), found in zip(outputs, compare_folders(outputs, format), strict=True):
        said = {"is missing": found.missing, "differs": found.different, "is left over": found.left}
        for what, names in said.items():
            for name in names:
                differ = True
                say(f"{folder / name} {what}")
        if found.begun:
            differ = True
            say(f"{folder}/: a run was cut short here; the next one finishes or undoes it")
    if differ:
        say("render again without --check")
        raise Stop(REFUSED)


def say_written(folder: "Path", done: "Written") -> None:
    """Say what was done to a folder."""
    counts = {"written": done.written, "unchanged": done.unchanged, "removed": done.removed}
    said = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
    if done.settled:
        say(f"note: {folder}/: a run was cut short here; what it had begun was {done.settled}")
    say(f"{folder}/: {said}")
    for name in done.kept:
        say(f"note: {folder / name} is no longer made, but was edited by hand: kept")
