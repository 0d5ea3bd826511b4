"""The interface of a document for parsing: its value, and the places of its parts."""

from typing import Protocol

from gpuspec.manifests import Path, Place


class SpecText(Protocol):
    """A document of a file, possibly with fields from the command line."""

    value: object

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a path, or of its nearest existing parent."""
