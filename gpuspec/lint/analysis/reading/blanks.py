"""Placeholders that somebody may still fill in: operators, programs before they apply, people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.lint.model import Confidence
    from gpuspec.objects.objects import Object
    from gpuspec.settings.severity import Severity

_TEMPLATED = {
    "argoproj.io": "{{",
    "kro.run": "${",
    "ome.io": "{{",
    "serving.kserve.io": "{{",
}
"""How the placeholders begin that operators fill in themselves, by the group of their objects."""
_MARKS = (".tmpl", ".tpl", ".template", ".envsubst", ".j2")
"""What the name of a template has in it."""
_FOLDERS = {"template", "skeleton"}
_SUBSTITUTED = {"component", "components"}
"""Folders of what several Kustomizations share: Flux fills in each one's own `${NAME}`."""


def fills_in(obj: Object, sign: str) -> bool:
    """Return whether an object's own operator fills a placeholder in, or Flux, before it is
    applied."""
    if obj.filling is not None and obj.filling.fills(sign):
        return True
    opening = _TEMPLATED.get(obj.group)
    return opening is not None and opening in sign


def left_open(obj: Object, *signs: str) -> tuple[Severity | None, Confidence]:
    """Return how loud, and how sure, it is that what an object's placeholders stand for is missing.

    Programs such as `envsubst`, `sed` and Flux fill in `${NAME}`, `{{ name }}` and `NAME` before anything
    is applied; `<name>` is left to people, and whoever lints it has not done so.
    """
    *folders, name = obj.file.replace("\\", "/").lower().split("/")
    shared = not _SUBSTITUTED.isdisjoint(folders) and all("${" in sign for sign in signs)
    if shared or any(mark in name for mark in _MARKS) or not _FOLDERS.isdisjoint(folders):
        return "info", "possible"
    return None, "certain" if any(sign.startswith("<") for sign in signs) else "likely"
