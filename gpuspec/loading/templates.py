"""Whether a text is a template of YAML, and not YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests import InputError, read

if TYPE_CHECKING:
    from gpuspec.manifests import Problem, Source

_MARKS = ("{{", "{%")
# YAML in which objects are written has nothing but keys, `-`, `#` and `}` at a line's begin.
_HELM = re.compile(r"\{\{-? *(?:\.(?:Values|Release|Chart)\b|include +\")")
_LINE = re.compile(r"^\{(?:\{|%)", re.MULTILINE)


def is_template(source: Source) -> bool:
    """Whether a source cannot be read, and template syntax is why; or is a chart's, whether it can
    be read or not.

    Text in which the same characters stand inside of strings is YAML, as Argo writes it.
    """
    text = source.text
    if not any(mark in text for mark in _MARKS):
        return False
    if _HELM.search(text):
        return True
    try:
        read(text, source.name)
    except InputError as error:
        if _LINE.search(text):
            return True
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return any(_near(problem, lines) for problem in error.problems)
    return False


def _near(problem: Problem, lines: list[str]) -> bool:
    """Whether a template's mark stands where reading failed, or on the line before it."""
    if problem.place is None:
        return False
    here = problem.place.line - 1
    around = [lines[here]] if here < len(lines) else []
    around += next(([line] for line in reversed(lines[:here]) if line.strip()), [])
    return any(mark in line for mark in _MARKS for line in around)
