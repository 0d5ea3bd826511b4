"""The templates in force: ours, shadowed file by file by a user's folder."""

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
    """A set of templates: how they are laid out, what they have laid out, and their digests."""

    def __init__(self, shadow: FilePath | None = None) -> None:
        """Load the package's templates, with those of the folder `shadow` in their place.

        Raises `InputError` if `shadow` is not a folder, cannot be read, has no template, or has one
        that shadows none of ours.
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
        """The templates of objects; those in folders are parts of others."""
        return [name for name in self._files if "/" not in name]

    def digest(self, *objects: str) -> str:
        """Return digest of the templates of these objects, and of the parts that they may
        include."""
        digest = self._digests.get(objects)
        if digest is None:
            used = {n: text for n, text in self._texts.items() if "/" in n or n in objects}
            digest = self._digests[objects] = _digest(used)
        return digest

    def lay_out(self, name: str, plan: View) -> str:
        """Return the text of one object, with tokens where the plan's values belong.

        Raises `InputError` when a template is wrong: it names the file and the line.
        """
        return self._layout.text(name, plan)

    def _shipped(self, name: str) -> list[list[Any]]:
        """Return the forms that were made of a template beforehand."""
        return made_of(f"forms/{name}", self.digest(name)) or []

    @cached_property
    def _layout(self) -> TemplateSet:
        from gpuspec.render.jinja import TemplateSet

        return TemplateSet(self._files, self._texts, ours=self.shadow is None)

    def place(self, name: str) -> Place:
        """Return the file to look into for what is wrong with the object of a template.

        That of the template itself, unless ours is laid out with the one file that the user has.
        """
        shadowing = list(self._own.values())
        is_shadowed = name not in self._own and len(shadowing) == 1
        return Place(shadowing[0] if is_shadowed else self._files[name], 1, 1)


def _files(folder: str) -> dict[str, str]:
    """Return templates by name. Hidden folders are passed over: a mounted ConfigMap is full of
    them."""
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
    """Return digest of every template that is in force."""
    parts: list[bytes] = []
    for name, content in sorted(texts.items()):
        parts += (f"{name} {len(content)}\n".encode(), content)
    return "sha256:" + sha256(*parts)


@cache
def shipped_templates() -> Templates:
    """Return the package's own templates."""
    return Templates()
