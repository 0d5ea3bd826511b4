"""A workload without one field of its spec."""

from copy import deepcopy
from typing import Any

from gpuspec.manifests import Path, Place
from gpuspec.spec.parse import parse_workload
from gpuspec.spec.text import SpecText
from gpuspec.spec.workload import Workload


class _ShortenedText:
    """A document without one field; its places are those of the whole document."""

    def __init__(self, whole: SpecText, path: Path) -> None:
        self.value: object = deepcopy(whole.value)
        self._whole = whole
        *parents, last = path
        parent: Any = self.value
        for step in parents:
            parent = parent[step]
        del parent[last]

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a path, or of its nearest existing parent."""
        return self._whole.place(path, key=key)


def without(workload: Workload, path: Path) -> Workload:
    """Return the workload without a field of its document.

    Raises `InputError` if the rest is invalid, such as without a required field.
    """
    return parse_workload(_ShortenedText(workload.document, path))
