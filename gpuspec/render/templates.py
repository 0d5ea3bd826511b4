"""The effective templates: the shipped ones, shadowed file by file by a user's folder."""

from __future__ import annotations

import os
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from gpuspec.locate import shipped_folder
from gpuspec.manifests import InputError, Place, Problem
from gpuspec.manifests.digests import sha256
from gpuspec.manifests.files import plain_content
from gpuspec.manifests.limits import MAX_TEMPLATE
from gpuspec.render.forms import Forms
from gpuspec.render.view import ENDING
from gpuspec.startup.prebuilt import made_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path as FilePath

    from gpuspec.render.jinja import TemplateSet
    from gpuspec.render.view import View


class Templates:
    """A set of templates, with their layout, cached forms and digests."""

    def __init__(self, shadow: FilePath | None = None) -> None:
        """Load the shipped templates, replaced by those in the folder `shadow`.

        Raises `InputError` if `shadow` is not a folder, cannot be read, has no template, or has one
        that shadows no shipped one.
        """
        ours = shipped_folder("templates")
        self.shadow = shadow
        try:
            self._own = {} if shadow is None else _shadowing(str(shadow), ours)
            self._files = _files(ours) | self._own
        except OSError as error:
            raise InputError(
                [Problem(f"--templates: {error.filename}: {error.strerror}")]
            ) from None
        self._texts = {
            name: plain_content(path, MAX_TEMPLATE) for name, path in self._files.items()
        }
        self._digests: dict[tuple[str, ...], str] = {}
        self.forms = Forms(self._shipped) if shadow is None else Forms()

    @property
    def names(self) -> list[str]:
        """The names of the templates of objects; those in subfolders are parts of others."""
        return [name for name in self._files if "/" not in name]

    def digest(self, *objects: str) -> str:
        """Return the digest of the templates of these objects, including the parts that they may
        include."""
        digest = self._digests.get(objects)
        if digest is None:
            used = {n: text for n, text in self._texts.items() if "/" in n or n in objects}
            digest = self._digests[objects] = _digest(used)
        return digest

    def lay_out(self, name: str, plan: View) -> str:
        """Return the text of one object, with tokens where the plan's values belong.

        Raises `InputError` for an invalid template, with file and line.
        """
        return self._layout.text(name, plan)

    def _shipped(self, name: str) -> list[list[Any]]:
        """Return the prebuilt forms of a template."""
        return made_of(f"forms/{name}", self.digest(name)) or []

    @cached_property
    def _layout(self) -> TemplateSet:
        from gpuspec.render.jinja import TemplateSet

        return TemplateSet(self._files, self._texts, ours=self.shadow is None)

    def place(self, name: str) -> Place:
        """Return the file to name in problems with a template's object.

        It is the template's own file, unless that is a shipped one and the user has only one other
        file.
        """
        shadowing = list(self._own.values())
        is_shadowed = name not in self._own and len(shadowing) == 1
        return Place(shadowing[0] if is_shadowed else self._files[name], 1, 1)


def _files(folder: str) -> dict[str, str]:
    """Return templates by name. Hidden folders are skipped, because a mounted ConfigMap has many."""
    return dict(sorted(_below(folder)))


def _below(folder: str) -> Iterator[tuple[str, str]]:
    waiting = [("", folder)]
    while waiting:
        under, path = waiting.pop()
        for entry in os.scandir(path):
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((f"{under}{entry.name}/", entry.path))
            elif entry.name.endswith(ENDING):
                yield under + entry.name, entry.path


def _shadowing(shadow: str, ours: str) -> dict[str, str]:
    if not os.path.isdir(shadow):
        raise InputError([Problem(f"--templates: {shadow} is not a folder")])
    files, built_in = _files(shadow), _files(ours)
    hint = f"built-in templates: {', '.join(built_in)}"
    if not files:
        raise InputError([Problem(f"--templates: {shadow} contains no template", None, hint)])
    strange = [
        Problem(f"--templates: {name} replaces no built-in template", Place(path, 1, 1), hint)
        for name, path in files.items()
        if name not in built_in
    ]
    if strange:
        raise InputError(strange)
    return files


def _digest(texts: dict[str, bytes]) -> str:
    """Return the digest of all effective templates."""
    parts: list[bytes] = []
    for name, content in sorted(texts.items()):
        parts += (f"{name} {len(content)}\n".encode(), content)
    return "sha256:" + sha256(*parts)


@cache
def shipped_templates() -> Templates:
    """Return the shipped templates."""
    return Templates()
