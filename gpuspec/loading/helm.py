"""The objects of a chart's folder with its default values, as the installed helm prints them.

Checked against Helm 3.22 and 4.3: `helm template` of a folder contacts no repository, and prints
which dependencies are missing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from gpuspec.loading.notes import NOT_RENDERED, LoadingNote
from gpuspec.manifests import InputError, Problem, SourceFile, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HELM = "helm"
LONGEST = 120
"""Seconds that a chart may take; charts of a hundred objects take less than one."""
_CHART = "Chart.yaml"
_OWN = ("Chart.yaml", "charts", "templates", "values.yaml")
"""The parts of a chart: helm's output already has their contents."""
_MISSING = "missing in charts/"


class RenderedCharts(msgspec.Struct, frozen=True):
    """The objects of the charts among some paths."""

    made: dict[str, SourceFile]
    """The objects, by the folders of the charts."""
    notes: tuple[LoadingNote, ...]
    """The notes on the charts that could not be rendered."""


def charts(paths: Iterable[str]) -> RenderedCharts:
    """Render the charts among some paths. Raises `InputError` with helm's message on each that it
    rejects.
    """
    sources: dict[str, SourceFile] = {}
    notes: list[LoadingNote] = []
    problems: list[Problem] = []
    for path in paths:
        if not os.path.isfile(os.path.join(path, _CHART)):
            continue
        try:
            source = _templated(path)
        except InputError as error:
            problems += error.problems
            continue
        if source is None:
            notes.append(LoadingNote(path, NOT_RENDERED))
        else:
            sources[path] = source
    if problems:
        raise InputError(problems)
    return RenderedCharts(sources, tuple(notes))


def own(folder: str) -> Callable[[str], bool]:
    """Return whether a path is a part of the chart in a folder that helm reads."""
    parts = {os.path.join(folder, name) for name in _OWN}
    return parts.__contains__


class TemplateError(Exception):
    """`helm template` failed; the text is its first error."""

    @property
    def is_dependency(self) -> bool:
        """Whether a chart that it depends on is missing."""
        return _MISSING in str(self)


def program() -> str | None:
    """Return the path of the installed helm; None where there is none."""
    import shutil

    # Helm tells its plugins where it is.
    return shutil.which(os.environ.get("HELM_BIN") or HELM)


def template(
    helm: str, folder: str, name: str = "", options: Sequence[str] = (), values: str = ""
) -> bytes:
    """Return the objects of a chart as helm prints them, of a release of this name if one is given.

    `values` are laid over the chart's own. Raises `TemplateError` with what helm says, or why it did
    not finish.
    """
    import subprocess

    names = (name,) if name else ()
    from_stdin = ("--values", "-") if values else ()
    # What a manifest names is no option, whatever it begins with: `--post-renderer` runs a program.
    command = [helm, "template", *options, *from_stdin, "--", *names, os.path.abspath(folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, input=values.encode(), timeout=LONGEST
        )
    except OSError as error:
        raise TemplateError(f"{helm}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise TemplateError(f"helm template took more than {LONGEST} s") from None
    if done.returncode:
        raise TemplateError(f"helm template: {_first_line(done.stderr.decode(errors='replace'))}")
    return done.stdout


def _templated(folder: str) -> SourceFile | None:
    """Return the objects of a chart; None if helm is not installed.

    Raises `InputError` for a chart that helm does not render, with helm's message.
    """
    helm = program()
    if helm is None:
        return None
    try:
        output = template(helm, folder)
    except TemplateError as error:
        hint = f"with other values: helm template {folder} -f values.yaml | gpuspec lint -"
        if error.is_dependency:
            hint = f"fetch them first: helm dependency build {folder}"
        raise InputError([Problem(f"{folder}: {error}", hint=hint)]) from None
    source_file = decode(output, f"{folder.rstrip('/')} <helm template>")
    return SourceFile(source_file.name, source_file.text, generated=True)


def _first_line(stderr: str) -> str:
    """Return helm's error message, without its warnings and its advice on debugging."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")]
    return (errors or lines or ["helm failed without a message"])[0]
