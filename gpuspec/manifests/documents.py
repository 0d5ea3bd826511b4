"""A document as it was read: its value, and where each part of it is written."""

from typing import TYPE_CHECKING

from gpuspec.manifests.paths import Path
from gpuspec.manifests.problems import Place
from gpuspec.manifests.sources import Chunk, Source

if TYPE_CHECKING:
    from gpuspec.manifests.graph import Node


class Document:
    """One document of a source.

    The value comes without positions, which would cost more than the reading; they are worked out
    from the text when first asked for.
    """

    __slots__ = ("_chunk", "_root", "index", "value")

    value: object
    """Plain ``dict`` (keys are strings), ``list``, ``str``, ``int``, ``float``, ``bool``, ``None``.
    No part of it is shared, so it may be changed in place. Never None at the top: kubectl drops
    empty documents, and so does :func:`~gpuspec.manifests.read`."""
    index: int
    """Which of the source's documents this is, from 0."""

    def __init__(self, value: object, chunk: Chunk, index: int) -> None:
        self.value = value
        self.index = index
        self._chunk = chunk
        self._root: Node | None = None

    def __repr__(self) -> str:
        return f"Document({self.source.name!r}, index={self.index})"

    def release(self) -> None:
        """Let go of the value, for whoever reads many documents. Places stay known."""
        self.value = None
        self._root = None

    @property
    def source(self) -> Source:
        """The file that the document stands in."""
        return self._chunk.source

    @property
    def text(self) -> str:
        """The document as it is written, comments included, without its ``---`` line."""
        return self._chunk.text

    @property
    def offset(self) -> int:
        """Where :attr:`text` begins in the source's text, in characters."""
        return self._chunk.start

    def place_at(self, offset: int) -> Place:
        """Where the character at an offset in :attr:`text` stands in the file."""
        return self._chunk.place_at(offset)

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where the value at a path is written; with ``key``, where its key is.

        A path that does not exist is at its nearest parent that does. What comes from a merge key
        or an anchor is where it is written.
        """
        return self._span(path, key=key)[0]

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Like :meth:`place`, with the place behind the last character too."""
        return self._span(path, key=key)

    def first_line(self, start: Place, end: Place) -> Place:
        """The end of a span's first line: where the span is only the surroundings of what is meant."""
        if end.line == start.line:
            return end
        line = start.line - self.place_at(0).line
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return Place(start.file, start.line, max(len(lines[line].rstrip()), start.column) + 1)

    def _span(self, path: Path, *, key: bool) -> tuple[Place, Place]:
        # Positions are for findings and errors; most runs have none.
        from gpuspec.manifests.construct import find
        from gpuspec.manifests.graph import compose

        if self._root is None:
            self._root = compose(self._chunk)[0]
        if self._root is None:
            start = self._chunk.place(0, 0)
            return start, start
        *_, (key_node, value_node) = find(self._root, path)
        node = key_node if key else value_node
        return self._chunk.place(*node.start), self._chunk.place(*node.end)
