"""The objects that are applied together, as far as their files show.

One tree often contains samples, test cases and setups of several clusters: one folder's Secret is
not for another folder's pods.
"""

from __future__ import annotations

from posixpath import dirname, normpath
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.kustomizations import everywhere_above

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


def are_neighbours(first: Object, second: Object, collection: Collection) -> bool:
    """Return whether one of two files is in the other's folder or below, or one kustomization builds
    from both."""
    folders = (_folder(first), _folder(second))
    shorter, longer = sorted(folders, key=len)
    if longer.startswith(shorter):
        return True
    makers = everywhere_above(first, collection)
    return any(maker in makers for maker in everywhere_above(second, collection))


def _folder(obj: Object) -> str:
    folder = normpath(dirname(obj.file) or ".")
    return "" if folder == "." else f"{folder}/"
