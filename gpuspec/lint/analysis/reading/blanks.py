"""Placeholders that an operator, a program before the apply, or a user may still fill in."""

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
"""The start of placeholders that operators fill in themselves, by the group of their objects."""
_PROGRAMS = ("FILLED_BY_", "FILLED_IN_BY_", "INJECTED_BY_", "REPLACED_BY_", "SET_BY_")
"""The start of placeholders that say which program fills them in."""
_MARKS = (".tmpl", ".tpl", ".template", "-template.", "_template.", ".envsubst", ".j2")
"""Words in the name of a template."""
_FOLDERS = {"template", "templates", "skeleton"}
_EXAMPLES = {
    *("course", "courses", "demo", "demos", "doc", "docs", "example", "examples", "exercises"),
    *("labs", "sample", "samples", "trainings", "tutorial", "tutorials", "workshop", "workshops"),
}
"""Folders of files in which users replace words before the apply."""
_SUBSTITUTED = {"component", "components"}
"""Folders that several Kustomizations share: Flux fills in each one's own `${NAME}`."""


def fills_in(obj: Object, sign: str) -> bool:
    """Return whether an object's own operator, Flux, or a program that the placeholder names fills
    in a placeholder before the apply."""
    if sign.startswith(_PROGRAMS) or (obj.filling is not None and obj.filling.fills(sign)):
        return True
    opening = _TEMPLATED.get(obj.group)
    return opening is not None and opening in sign


def left_open(obj: Object, *signs: str) -> tuple[Severity | None, Confidence]:
    """Return severity and confidence of a finding on an unfilled placeholder.

    Programs such as `envsubst`, `sed` and Flux fill in `${NAME}`, `{{ name }}` and `NAME` before
    the apply; `<name>` is for users, who have not filled it in. In an example that is no error,
    and a file with several such words is one.
    """
    *folders, name = obj.file.replace("\\", "/").lower().split("/")
    shared = not _SUBSTITUTED.isdisjoint(folders) and all("${" in sign for sign in signs)
    if shared or any(mark in name for mark in _MARKS) or not _FOLDERS.isdisjoint(folders):
        return "info", "possible"
    if not _EXAMPLES.isdisjoint(folders) or len({sign for sign in signs if sign[:1] == "<"}) > 1:
        return "warning", "likely"
    return None, "certain" if any(sign.startswith("<") for sign in signs) else "likely"
