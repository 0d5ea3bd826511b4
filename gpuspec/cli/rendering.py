"""What `gpuspec render` does, once its arguments are known."""

import sys
from typing import TYPE_CHECKING, Literal

from gpuspec.cli.afterwards import next_steps, say_afterwards, say_notes, words
from gpuspec.cli.codes import INTERRUPTED, REFUSED, Stop
from gpuspec.cli.compose import STDIN, ComposeRequest, Pairs, Refusals, read_all, rendered_pairs
from gpuspec.cli.progress import watched
from gpuspec.cli.terminal import color, data, say, talk, width

if TYPE_CHECKING:
    from pathlib import Path

    from gpuspec import Folder, Profile, Refusal, Rendering, Workload, Written

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
    skip_refused: bool = False,
) -> None:
    """Render specs to stdout or into folders, or compare them with the folders.

    Raises `InputError`, `Refusals` unless `skip_refused`, or `Stop` for errors that the linter
    finds in the objects, unless `no_lint`. Prints and writes nothing then.
    """
    compose_request = read_all(specs, cluster, settings)
    _check_output(compose_request, output, skip_refused)
    pairs = rendered_pairs(compose_request, templates, target)
    if pairs.refused:
        if not skip_refused:
            is_some = output is not None and len(pairs.refused) < pairs.wanted
            hint = "--skip-refused writes the other workloads, and keeps the files of refused ones"
            refused = [refusal for *_, refusal in pairs.refused]
            raise Refusals(refused, pairs.wanted, hint if is_some else None)
        _say_refused(pairs)
    rendered = pairs.made
    if not no_lint:
        _lint(rendered, specs[0])
    written_outputs: list[Written] = []
    if check:
        _compare(pairs, output, specs, format)
    elif output is None:
        _print(rendered[0][1], format)
    else:
        written_outputs = _write(pairs, output, specs, format)
    say_notes(rendered)
    _say_unknown_clusters(compose_request)
    if output is None or any(done.written or done.removed for done in written_outputs):
        arguments = words(specs, cluster, settings, templates, target)
        nonempty = [pair for pair in rendered if pair[1]]
        say_afterwards(nonempty, next_steps(arguments, _folders(nonempty, output)))
    if pairs.refused or pairs.elsewhere or (len(rendered) > 1 and not check):
        _say_outcomes(pairs, written_outputs)
    if pairs.refused:
        raise Stop(REFUSED)


def _check_output(compose_request: ComposeRequest, output: str | None, skip_refused: bool) -> None:
    """Raise `InputError` for several profiles with one output, and for an invalid output."""
    from gpuspec import InputError, Problem

    names = [profile.name for profile in compose_request.profiles]
    check_folder(output)
    if skip_refused and output is None:
        text = "--skip-refused keeps earlier output, but no folder is named"
        raise InputError([Problem(text, hint="name it with -o")])
    if len(names) > 1 and PLACEHOLDER not in (output or ""):
        text = f"{len(names)} profiles ({', '.join(names)}) have one output"
        hint = (
            f"write -o 'out/{PLACEHOLDER}/' for one folder per profile, or name one profile with -c"
        )
        raise InputError([Problem(text, hint=hint)])


def check_folder(output: str | None) -> None:
    """Raise `InputError` for an output without a name, or with an unknown placeholder."""
    from gpuspec import InputError, Problem

    rest = (output or "").replace(PLACEHOLDER, "")
    if output == "":
        raise InputError([Problem("-o: the folder's name is empty")])
    if "{" in rest or "}" in rest:
        hint = f"only {PLACEHOLDER} is replaced, with the profile's name"
        raise InputError([Problem(f"-o {output}: unknown placeholder", hint=hint)])


def _lint(rendered: "list[tuple[Profile, list[Rendering]]]", near: str) -> None:
    """Print the errors in the rendered objects, and stop if there are any."""
    from gpuspec import lint_renderings

    failed = False
    for profile, renderings in watched(rendered, "linting what was rendered"):
        result = lint_renderings(renderings, near)
        if not result.findings:
            continue
        from gpuspec.report.lint import lint_report

        failed = True
        if len(rendered) > 1:
            say(f"on profile {profile.name}:")
        talk(lint_report(result, "text", width=width(sys.stderr), color=color(sys.stderr)))
    if failed:
        say("nothing was rendered; to render despite findings: --no-lint")
        raise Stop(REFUSED)


def _print(renderings: "list[Rendering]", format: Format) -> None:
    from gpuspec import dump

    data(dump([item for rendering in renderings for item in rendering.objects], format))


def _say_refused(pairs: Pairs) -> None:
    """Print why workloads cannot run on profiles: the other workloads go on."""
    from gpuspec.report.problems import refusals_text

    refused = [refusal for *_, refusal in pairs.refused]
    talk(refusals_text(refused, width=width(sys.stderr), color=color(sys.stderr)))


def _write(pairs: Pairs, output: str, specs: list[str], format: Format) -> "list[Written]":
    """Write the folders of all profiles."""
    outputs = _outputs(pairs, output, specs)
    _check_fixed(pairs, outputs, format)
    return write(outputs, format)


def write(outputs: "list[Folder]", format: Format) -> "list[Written]":
    """Write folders, and print the changes to each, or the state that Ctrl-C left."""
    from gpuspec import write_folders
    from gpuspec.cli.scratch import scratch

    try:
        with scratch():
            changes = write_folders(outputs, format)
    except KeyboardInterrupt:
        say(_cut_short(outputs, format))
        raise Stop(INTERRUPTED) from None
    for output, done in zip(outputs, changes, strict=True):
        _say_written(output.folder, done)
    return changes


def _cut_short(outputs: "list[Folder]", format: Format) -> str:
    """Return the state of folders after an interrupted write: all of them are new, or none."""
    from gpuspec import compare_folders

    folder_differences = compare_folders(outputs, format)
    folders = ", ".join(f"{output.folder}/" for output in outputs)
    if any(differences.begun for differences in folder_differences):
        return f"interrupted while writing {folders}: the next run finishes or undoes it"
    return f"interrupted: {folders} {'was not changed' if any(folder_differences) else 'was written in full'}"


def _say_outcomes(pairs: Pairs, written_outputs: "list[Written]") -> None:
    """Print the outcome of each workload on each profile."""
    from gpuspec.report.outcomes import RenderOutcome, outcomes_text

    kept_workloads = [
        (profile.name, workload)
        for (profile, _), done in zip(pairs.made, written_outputs, strict=False)
        for workload in done.stayed.values()
    ]
    outcomes = [
        RenderOutcome(rendering.name, profile.name, len(rendering.objects))
        for profile, renderings in pairs.made
        for rendering in renderings
    ]
    outcomes += (
        RenderOutcome(
            workload.name,
            profile.name,
            reason=_short(refusal),
            kept=kept_workloads.count((profile.name, _named(workload))),
        )
        for profile, workload, refusal in pairs.refused
    )
    outcomes += (
        RenderOutcome(workload.name, profile.name, elsewhere=True)
        for profile, workload in pairs.elsewhere
    )
    outcomes.sort(key=lambda outcome: outcome.workload)
    talk(outcomes_text(outcomes, width=width(sys.stderr), color=color(sys.stderr)))


def _short(refusal: "Refusal") -> str:
    """Return the first reason of a refusal, and the number of other reasons."""
    first, *others = [line for reason in refusal.reasons for line in reason.text.splitlines()]
    return f"{first}, and {len(others)} more" if others else first


def _say_unknown_clusters(compose_request: ComposeRequest) -> None:
    """Print the names in `clusters` that no profile has and that nearly match one.

    With a single profile the others are unknown, so nothing is printed.
    """
    names = [profile.name for profile in compose_request.profiles]
    if len(names) < 2:
        return
    from gpuspec.report.problems import remarks_text

    remarks = [
        f"{workload.name}: no profile is called {workload.model.spec.clusters.names[number]}; "
        f"did you mean {nearest_name}?"
        for workload in compose_request.workloads
        for number, nearest_name in workload.misspelt_clusters(names)
    ]
    talk(remarks_text(remarks, width=width(sys.stderr), color=color(sys.stderr)))


def _named(workload: "Workload") -> str:
    """Return the name of a workload in the record of a folder."""
    return f"{workload.kind} {workload.namespace}/{workload.name}"


def _folders(
    rendered: "list[tuple[Profile, list[Rendering]]]", output: str | None
) -> list[str] | None:
    """Return each profile's folder; None if the objects were printed."""
    if output is None:
        return None
    return [output.replace(PLACEHOLDER, profile.name) for profile, _ in rendered]


def _check_fixed(pairs: Pairs, outputs: "list[Folder]", format: Format) -> None:
    """Raise `InputError` for runs of a fixed name that a sync of the folder could not change."""
    rendered = [renderings for _, renderings in pairs.made]
    if not any(
        getattr(rendering.resolution.spec, "fixed_name", False)
        for renderings in rendered
        for rendering in renderings
    ):
        return
    from gpuspec import check_fixed

    for output, renderings in zip(outputs, rendered, strict=True):
        check_fixed(output.folder, renderings, format)


def _outputs(pairs: Pairs, output: str, specs: list[str]) -> "list[Folder]":
    """Return each profile's folder and objects, and the name of the run."""
    from pathlib import Path

    from gpuspec import Folder

    paths = [spec if spec == STDIN else Path(spec) for spec in specs]
    return [
        Folder(
            Path(output.replace(PLACEHOLDER, profile.name)),
            [item for rendering in renderings for item in rendering.objects],
            [*paths, profile.name],
            [
                _named(rendering.resolution.workload)
                for rendering in renderings
                for _ in rendering.objects
            ],
            tuple(_named(workload) for on, workload, _ in pairs.refused if on is profile),
            profile.name,
        )
        for profile, renderings in pairs.made
    ]


def _compare(pairs: Pairs, output: str | None, specs: list[str], format: Format) -> None:
    """Print the differences in the folders, and stop if there are any."""
    from gpuspec import InputError, Problem, compare_folders

    if output is None:
        raise InputError([Problem("--check compares with a folder", hint="name it with -o")])
    outputs = _outputs(pairs, output, specs)
    differ = False
    for (folder, *_), differences in zip(outputs, compare_folders(outputs, format), strict=True):
        names_by_state = {
            "is missing": differences.missing,
            "differs": differences.different,
            "is obsolete": differences.left,
        }
        for state, names in names_by_state.items():
            for name in names:
                differ = True
                say(f"{folder / name} {state}")
        if differences.begun:
            differ = True
            say(f"{folder}/: a run was interrupted; the next run finishes or undoes it")
    if differ:
        say("render again without --check")
        raise Stop(REFUSED)


def _say_written(folder: "Path", done: "Written") -> None:
    """Print the changes to a folder."""
    counts = {
        "written": done.written,
        "unchanged": done.unchanged,
        "removed": done.removed,
        "kept from an earlier run": done.stayed,
    }
    summary = ", ".join(f"{len(names)} {state}" for state, names in counts.items() if names)
    if done.settled:
        say(f"note: {folder}/: an earlier run was interrupted; its changes were {done.settled}")
    if summary:
        say(f"{folder}/: {summary}")
    if done.stayed:
        names = ", ".join(done.stayed)
        say(f"note: {folder}/: files of refused workloads from an earlier run stay: {names}")
    for name in done.kept:
        say(
            f"note: {folder / name} is no longer generated, but was kept because it was edited by "
            "hand"
        )
