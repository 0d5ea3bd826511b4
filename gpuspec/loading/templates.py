"""The texts that are templates of YAML, not YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.manifests import Problem, SourceFile

CHART = "skipped: a template, not YAML: lint the output of `helm template`"
_FILLED = "skipped: a template, not YAML: lint the output of Terraform's `templatefile`"
_SHELL = "skipped: a template, not YAML: lint the output of `envsubst`"
# YAML in which objects are written has nothing but keys, `-`, `#` and `}` at a line's begin.
_CHART = re.compile(r"\{\{-? *(?:\.(?:Values|Release|Chart)\b|include +\")")
# Values of a release may be templates of the chart that it is of, which name the release.
_RELEASE = re.compile(r"^kind:[ \t]*[\"']?HelmRelease\b", re.MULTILINE)
_CHART_OF_RELEASES = re.compile(r"\{\{-? *(?:\.(?:Values|Chart)\b|include +\")")
# An expression of Terraform: a choice, or a call of a function.
_EXPRESSION = re.compile(r"\$\{ *(?:[^{}\n]+ \? [^{}\n]+ : [^{}\n]+|[a-z]\w*\([^{}\n]*\)) *\}")
_LINE = re.compile(r"^\{(?:\{|%)", re.MULTILINE)
_TERRAFORM = re.compile(r"^%\{~? *(?:if|for)\b", re.MULTILINE)
# A line that is nothing but a variable, which a shell puts several lines in the place of.
_VARIABLE = re.compile(r"^[ \t]*\$\{?[A-Za-z_]\w*\}?[ \t]*$", re.MULTILINE)
# A variable in a map between braces, as in `{sizeLimit: ${SIZE}}`: YAML reads its brace as the map's.
_IN_BRACES = re.compile(r"\{[^{}\n]*\$\{\w+\}")
_MARKS = ("{{", "{%")


def is_chart(source: SourceFile) -> bool:
    """Return whether a source is a chart's template, whether it can be read or not."""
    text = source.text
    if "{{" not in text:
        return False
    mark = _CHART_OF_RELEASES if _RELEASE.search(text) else _CHART
    return mark.search(text) is not None


def template_note(text: str, problems: Iterable[Problem], first: int = 0) -> str | None:
    """Return the note on a text that cannot be read because of a template's syntax; None for other
    texts.

    `first` is the number of lines before the text. A text with the same characters inside of
    strings is YAML, as Argo writes it.
    """
    if not any(mark in text for mark in (*_MARKS, "$", "%{")):
        return None
    if _LINE.search(text):
        return CHART
    if _TERRAFORM.search(text):
        return _FILLED
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    around = [line for problem in problems for line in _near(problem, lines, first)]
    if any(mark in line for line in around for mark in _MARKS):
        return CHART
    if any(_EXPRESSION.search(line) for line in around):
        return _FILLED
    is_shell = any(_VARIABLE.match(line) or _IN_BRACES.search(line) for line in around)
    return _SHELL if is_shell else None


def _near(problem: Problem, lines: list[str], first: int) -> list[str]:
    """Return the line where reading failed, and the one before it that is neither empty nor a
    comment."""
    if problem.place is None:
        return []
    line_index = problem.place.line - 1 - first
    around = [lines[line_index]] if 0 <= line_index < len(lines) else []
    return [
        *around,
        *next(([line] for line in reversed(lines[: max(line_index, 0)]) if _says(line)), []),
    ]


def _says(line: str) -> bool:
    return line.strip() != "" and not line.lstrip().startswith("#")
