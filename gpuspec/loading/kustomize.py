"""The files that are patches of a kustomization: fragments, which are no complete manifests."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from gpuspec.loading.folders import above
from gpuspec.manifests import InputError, read
from gpuspec.manifests.files import content
from gpuspec.manifests.values import items

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "kustomize.config.k8s.io"
NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = (
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "replacements",
    "configurations",
)
_PATCH = re.compile(r"(?:\b|_)patch(?:es)?(?:\b|_)")
COMPONENT = "Component"
KINDS = ("Kustomization", COMPONENT)
"""A component is a kustomization for others to build on."""
BUILDS = ("resources", "bases", "components")
"""The fields that name the bases of a kustomization: its changes apply to these too."""
_RESOURCES = ("resources", "bases", "generators", "transformers", "components")


def is_kustomization(file: str) -> bool:
    """Return whether a file is a kustomization by its name."""
    return os.path.basename(file) in NAMES


def bases(value: dict[str, Any], file: str) -> Iterator[str]:
    """Yield the folders that a kustomization builds on, relative to here; components change the
    objects there.
    """
    folder = os.path.dirname(file)
    for name in named_in([value], ("resources", "bases")):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isdir(path):
            yield path


class Patches:
    """The patches that the kustomizations next to and above some files name."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        """The kustomization of each patch, by the patch's real path."""
        self._resources: set[str] = set()
        """The real paths from which kustomizations build."""
        self._seen: dict[str, bool] = {}
        """Folders that were searched, and whether each has a kustomization."""

    def learn(self, file: str) -> None:
        """Read the kustomizations next to and above a file."""
        for folder in above(os.path.dirname(os.path.abspath(file))):
            if folder in self._seen:
                return
            self._seen[folder] = False
            for name in NAMES:
                path = f"{folder}/{name}"
                if os.path.isfile(path):
                    self._seen[folder] = True
                    values = _values(path)
                    for patch in named_in(values, _LISTS):
                        self._of.setdefault(os.path.realpath(f"{folder}/{patch}"), path)
                    for file in named_in(values, _RESOURCES):
                        self._resources.add(os.path.realpath(f"{folder}/{file}"))

    def of(self, file: str) -> str | None:
        """Return the kustomization that names a file as its patch, relative to here."""
        if not self._of:
            return None
        path = self._of.get(os.path.realpath(file))
        return None if path is None else os.path.relpath(path)

    def is_spare(self, file: str) -> bool:
        """Return whether a file is called a patch, is below a kustomization, and is not built from.

        Projects keep such patches for users who need them, named in a comment.
        """
        full = os.path.realpath(file)
        folder, name = os.path.split(full)
        if not (_PATCH.search(name) or os.path.basename(folder) == "patches"):
            return False
        return full not in self._resources and any(
            self._seen.get(parent) for parent in above(folder)
        )


def _values(path: str) -> list[dict[str, Any]]:
    """Return the content of a kustomization; empty if it is wrong, which its own lint reports."""
    try:
        documents = read(content(path), path)
    except InputError:
        return []
    return [document.value for document in documents if isinstance(document.value, dict)]


def named_in(values: list[dict[str, Any]], fields: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that some fields of a kustomization name."""
    for value in values:
        for field in fields:
            for item in items(value.get(field)):
                name = item.get("path") if isinstance(item, dict) else item
                # A patch may also be written out in its place.
                if isinstance(name, str) and "\n" not in name:
                    yield name
