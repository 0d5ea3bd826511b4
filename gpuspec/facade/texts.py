"""Functions on texts in memory, for hosts without files: read, lint, fix and amend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.facade.linting import linter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.facade.lint_settings import LintSettings
    from gpuspec.lint.mending import FixResult
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult
    from gpuspec.loading.inputs import Inputs
    from gpuspec.manifests import Document, Path
    from gpuspec.settings.severity import Severity
    from gpuspec.spec import Profile, Workload


class Proposal(NamedTuple):
    """A fix as a value."""

    path: str
    """The path of the smallest part of the document that contains all changes; empty for the whole
    document."""
    current: Any
    """The current value; None if there is none."""
    proposed: Any


def read_text(text: str | bytes, name: str) -> list[Document]:
    """Return the documents of a text, of any kind. Raises `InputError` with all syntax errors.

    `name` is the file name in problems and findings.
    """
    from gpuspec.manifests import read

    return read(text, name)


def parts(document: Document, paths: Iterable[Path]) -> list[str]:
    """Return the texts of some parts of a document, each as a document of its own, with comments.

    Its lines are dedented. A part that would then have another value, because its anchor is
    elsewhere, is written anew without comments. Raises `KeyError` or `IndexError` for a missing
    path.
    """
    import re
    from functools import reduce

    from gpuspec.lint.fixing.text_edits import Lines
    from gpuspec.lint.model import Edit

    text, behind = document.source.text, re.compile(r"[ \t]+#[^\n]*")
    lines = Lines(text)
    texts: list[str] = []
    for path in paths:
        value = reduce(lambda part, step: part[step], path, document.value)  # type: ignore[index]
        start, end = document.span(path)
        edit = Edit(start.line, start.column, end.line, end.column, "")
        (text_edit,) = lines.text_edits([edit])
        # A comment behind the last value on its line is about it.
        comment = behind.match(text, text_edit.end)
        stop = comment.end() if comment else text_edit.end
        texts.append(_alone(text[text_edit.start : stop], start.column - 1, value))
    return texts


def load_documents(documents: Iterable[Document]) -> list[Workload]:
    """Return the workloads in documents. Raises `InputError` with all their problems."""
    from gpuspec.manifests import InputError, Problem
    from gpuspec.spec import parse_workload

    workloads: list[Workload] = []
    problems: list[Problem] = []
    for document in documents:
        try:
            workloads.append(parse_workload(document))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return workloads


def lint_text(
    text: str | bytes,
    name: str,
    *,
    profile: Profile | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Severity = "info",
) -> LintResult:
    """Lint a text as a file of the working directory.

    Raises as `lint` does, and `InputError` for bytes that are not text.
    """
    from gpuspec.facade.configuration import configuration_of

    settings: LintSettings = {
        "profile": profile,
        "select": select,
        "ignore": ignore,
        "severity": severity,
    }
    look = linter(configuration_of(()), settings)
    return look(_inputs(text, name))


def mend_text(
    text: str | bytes,
    name: str,
    *,
    profile: Profile | None = None,
    severity: Severity = "info",
    unsafe: bool = False,
) -> FixResult:
    """Lint as `lint_text` does, apply the safe fixes (`unsafe`: all), and lint again."""
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.lint.mending import mend

    look = linter(configuration_of(()), {"profile": profile, "severity": severity})
    return mend(_inputs(text, name), look, unsafe=unsafe)


def proposal(document: Document, finding: Finding) -> Proposal | None:
    """Return the change that the fix of a finding makes to a document's value; None without a fix."""
    if finding.fix is None:
        return None
    from gpuspec.lint.fixing.text_edits import lines_of, moved, with_edits
    from gpuspec.manifests import format_path, read

    text = document.text
    text_edits = lines_of(document.source.text).text_edits(finding.fix.edits)
    patched = with_edits(text, moved(text_edits, -document.offset))
    before, after = (read(version, "")[0].value for version in (text, patched))
    path, current, proposed = _difference(before, after, ())
    return Proposal(format_path(path), current, proposed)


def amend(document: Document, values: Mapping[Path, Any]) -> str:
    """Return the text of a document with values set at paths; missing parents are added.

    All other bytes stay. If that is impossible, because an anchor is used in several places, the
    document is written anew without comments. Raises `InputError` for a path that cannot exist.
    """
    from gpuspec.lint.fixing import fixed, text_fix
    from gpuspec.lint.fixing.changes import NoFixError, planned
    from gpuspec.lint.model import Fix, Put
    from gpuspec.manifests import InputError, Problem, write

    changes = tuple(Put(path, value) for path, value in values.items())
    try:
        needed, amended = planned(document.value, changes)
    except NoFixError as error:
        raise InputError([Problem(f"cannot be changed: {error}", document.place(()))]) from None
    fix = text_fix(document, Fix("", changes, safe=True)) if needed else None
    if fix is not None:
        return fixed(document.source.text, [fix])
    return write([amended]) if needed else document.source.text


def _alone(text: str, indent: int, value: Any) -> str:
    """Return a part of a text without its indent, if it still has the value."""
    import re

    from gpuspec.lint.fixing.changes import same
    from gpuspec.manifests import InputError, read, write

    moved = re.sub(rf"(?<=\n) {{1,{indent}}}", "", text) if indent else text
    moved = moved.rstrip() + "\n"
    try:
        documents = read(moved, "")
    except InputError:
        return write([value])
    return moved if len(documents) == 1 and same(documents[0].value, value) else write([value])


def _inputs(text: str | bytes, name: str) -> Inputs:
    from gpuspec.loading.inputs import Inputs
    from gpuspec.manifests import decode

    return Inputs((decode(text, name),), (), (), 1)


def _difference(before: Any, after: Any, path: Path) -> tuple[Path, Any, Any]:
    """Return the path at which two values begin to differ, and both values there."""
    from gpuspec.lint.fixing.changes import same

    if isinstance(before, dict) and isinstance(after, dict):
        keys = [k for k in {**before, **after} if not same(before.get(k), after.get(k))]
        if len(keys) == 1 and keys[0] in after:
            return _difference(before.get(keys[0]), after[keys[0]], (*path, keys[0]))
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        places = [i for i, item in enumerate(before) if not same(item, after[i])]
        if len(places) == 1:
            return _difference(before[places[0]], after[places[0]], (*path, places[0]))
    return path, before, after
