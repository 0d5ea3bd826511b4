"""Placeholders that somebody may still fill in: operators, programs before they apply, people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.lint.model import Confidence
    from gpuspec.objects.objects import Object
    from gpuspec.settings.severity import Severity

# Operators that fill in `{{ }}` themselves.
_TEMPLATED = {"argoproj.io", "serving.kserve.io", "ome.io"}
_MARKS = (".tmpl", ".tpl", ".template", ".envsubst", ".j2")
"""What the name of a template has in it."""
_FOLDERS = {"template", "skeleton"}


def fills_in(one: Object, sign: str) -> bool:
    """Whether an object's own operator fills a placeholder in."""
    return sign.startswith("{{") and one.group in _TEMPLATED


def left_open(one: Object, *signs: str) -> tuple[Severity | None, Confidence]:
    """How loud, and how sure, it is that what an object's placeholders stand for is missing.

    Programs such as `envsubst` and Flux fill in `${NAME}` and `{{ name }}` before anything is applied;
    `<name>` is left to people, and whoever lints it has not done so.
    """
    *folders, name = one.file.replace("\\", "/").lower().split("/")
    if any(mark in name for mark in _MARKS) or not _FOLDERS.isdisjoint(folders):
        return "info", "possible"
    return None, "likely" if all(sign.startswith(("$", "{")) for sign in signs) else "certain"
