"""What `gpuspec argocd …` does, once its arguments are known."""

import os
import sys
from typing import TYPE_CHECKING

from gpuspec.cli.codes import REFUSED, Stop
from gpuspec.cli.compose import Refusals, read_all, renderings
from gpuspec.cli.terminal import color, data, say, talk, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec import LintResult, Problem, Rendering, Workload
    from gpuspec.hosts.argocd import GenerateRequest


def generate(specs: list[str]) -> None:
    """Print the manifests that the environment asks for.

    Raises `InputError`, `Refusals`, or `Stop` for objects that the cluster rejects and for errors
    that the linter finds, unless the parameter `lint` allows them. Prints nothing then.
    """
    from gpuspec.hosts import argocd

    with argocd.entered(os.environ) as root:
        request = argocd.request(os.environ, root, specs)
        _generate(request)


def _generate(generate_request: "GenerateRequest") -> None:
    from gpuspec import InputError, Problem, compare_cluster, dump, lint_renderings, runs_again
    from gpuspec.hosts import argocd

    profiles = [generate_request.profile] if generate_request.profile else None
    compose_request = read_all(
        generate_request.specs, profiles, generate_request.settings, "parameter"
    )
    if len(compose_request.profiles) > 1:
        names = ", ".join(profile.name for profile in compose_request.profiles)
        hint = "name the file of one profile: an Application is for one cluster"
        text = f"parameter `profile`: {len(compose_request.profiles)} profiles ({names})"
        raise InputError([Problem(text, hint=hint)])
    ((_, rendered),) = renderings(compose_request, None)
    if again := runs_again(rendered, "Argo CD"):
        raise Refusals(again, len(rendered))
    problems, notes = compare_cluster(rendered, *argocd.served(os.environ))
    try:
        if problems:
            _say_problems(problems)
            raise Stop(REFUSED)
        result = lint_renderings(rendered, generate_request.specs[0])
        _judge(result, generate_request.lint)
    finally:  # Argo CD shows from the first line on what a plugin says that fails.
        _say_remarks(notes)
    marked = result.findings if generate_request.lint == "annotate" else ()
    data(dump(argocd.annotated(rendered, marked)))
    _say_notes(rendered)


def discover() -> None:
    """Print a file that holds a spec, or nothing if no file does.

    Argo CD takes empty output as a no when it looks for a plugin. Raises `InputError` where the
    Application has one.
    """
    from gpuspec.escaping.characters import visible
    from gpuspec.hosts import argocd

    with argocd.entered(os.environ) as root:
        spec_file = argocd.discover(os.environ, root)
    if spec_file:
        data(f"{visible(spec_file)}\n")


def parameters() -> None:
    """Print the parameters that the Application may set.

    Problems of specs and parameters are printed but do not stop the command: users edit the
    parameters in the form that it announces.
    """
    from gpuspec.hosts import argocd

    with argocd.entered(os.environ) as root:
        _parameters(root)


def _parameters(root: str) -> None:
    from gpuspec import InputError, find_specs, load
    from gpuspec.escaping.formats import json_text
    from gpuspec.hosts import argocd

    problems: list[Problem] = []
    try:
        specs = argocd.request(os.environ, root).specs
    except InputError as error:
        problems += error.problems
        specs = ["."]
    files: list[str] = []
    try:
        files = [*find_specs(*specs)]
        workloads = load(*specs)
    except InputError as error:
        problems += error.problems
        workloads = [workload for file in files for workload in _readable(file)]
    data(json_text(argocd.announcements(files, workloads), indent=1))
    _say_problems(problems)


def _readable(file: str) -> "list[Workload]":
    """Return the workloads of a file; none if it is wrong."""
    from gpuspec import InputError, load

    try:
        return load(file)
    except InputError:
        return []


def _judge(result: "LintResult", lint: str) -> None:
    """Print the linter's findings. Raises `Stop` if they fail the run."""
    if not result.findings:
        return
    from gpuspec.report.lint import lint_report

    talk(lint_report(result, "text", width=width(sys.stderr), color=color(sys.stderr)))
    if lint == "fail":
        say(
            "nothing was generated; to generate despite findings, set the parameter `lint: "
            "annotate`"
        )
        raise Stop(REFUSED)


def _say_problems(problems: "Iterable[Problem]") -> None:
    if problem_list := [*problems]:
        from gpuspec.report.problems import problems_text

        talk(problems_text(problem_list, width=width(sys.stderr), color=color(sys.stderr)))


def _say_remarks(notes: "Sequence[str]") -> None:
    if notes:
        from gpuspec.report.problems import remarks_text

        talk(remarks_text(notes, width=width(sys.stderr), color=color(sys.stderr)))


def _say_notes(rendered: "list[Rendering]") -> None:
    notes = [
        (rendering.name, note) for rendering in rendered for note in rendering.notes if note.loud
    ]
    if notes:
        from gpuspec.report.problems import notes_text

        talk(notes_text(notes, width=width(sys.stderr), color=color(sys.stderr)))
