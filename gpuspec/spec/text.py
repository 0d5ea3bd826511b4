"""What parsing needs of a document: its value, and where each part of it stands."""

from typing import Protocol

from gpuspec.manifests import Path, Place


class SpecText(Protocol):
    """A document of a file, or one whose fields were partly set on the command line."""

    value: object

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return where a path stands; its nearest existing parent when it does not."""
