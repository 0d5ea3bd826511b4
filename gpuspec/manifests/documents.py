"""A document: its value, and the places of its parts in the text."""

from typing import TYPE_CHECKING

from gpuspec.manifests.paths import Path
from gpuspec.manifests.problems import Place
from gpuspec.manifests.sources import Chunk, SourceFile

if TYPE_CHECKING:
    from gpuspec.manifests.positions import Positions


class Document:
    """One document of a source.

    The value has no positions, because computing them would take longer than reading; they are
    computed from the text on first use.
    """

    __slots__ = ("_by_lines", "_chunk", "_positions", "index", "sound", "value")

    value: object
    """Plain ``dict`` (keys are strings), ``list``, ``str``, ``int``, ``float``, ``bool``, ``None``.
    No part is shared, so it can be changed in place. It is never None itself: kubectl drops empty
    documents, and so does :func:`~gpuspec.manifests.read`."""
    index: int
    """The index of the document in the source, from 0."""
    sound: bool
    """Whether its text has no problems."""

    def __init__(
        self,
        value: object,
        chunk: Chunk,
        index: int,
        *,
        sound: bool = True,
        by_lines: bool = False,
    ) -> None:
        """Keep the document. `by_lines`: whether `LineReader` has read it."""
        self.value = value
        self.index = index
        self.sound = sound
        self._chunk = chunk
        self._by_lines = by_lines
        self._positions: Positions | None = None

    def __repr__(self) -> str:
        return f"Document({self.source.name!r}, index={self.index})"

    def __getstate__(self) -> tuple[object, Chunk, int, bool, bool]:
        # Positions are soon worked out again, and would be most of what is sent.
        return self.value, self._chunk, self.index, self.sound, self._by_lines

    def __setstate__(self, state: tuple[object, Chunk, int, bool, bool]) -> None:
        self.value, self._chunk, self.index, self.sound, self._by_lines = state
        self._positions = None

    def release(self) -> None:
        """Release the value, for callers that read many documents. Places remain available."""
        self.value = None
        self.forget()

    def forget(self) -> None:
        """Release the positions, which are computed again on the next use."""
        self._positions = None

    @property
    def source(self) -> SourceFile:
        """The file that contains the document."""
        return self._chunk.source

    @property
    def text(self) -> str:
        """The text of the document with comments, without its ``---`` line."""
        return self._chunk.text

    @property
    def offset(self) -> int:
        """The offset of :attr:`text` in the source's text, in characters."""
        return self._chunk.start

    @property
    def size(self) -> int:
        """The length of :attr:`text` in characters."""
        return self._chunk.end - self._chunk.start

    def place_at(self, offset: int) -> Place:
        """Return the place in the file of the character at an offset in :attr:`text`."""
        return (self._positions or self._chunk).place_at(offset)

    @property
    def positions(self) -> "Positions":
        """The positions of all parts, computed once and kept until they are released."""
        # Positions are for findings and errors; most runs have none.
        if self._positions is None:
            from gpuspec.manifests.positions import Positions

            self._positions = Positions(self._chunk, by_lines=self._by_lines)
        return self._positions

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of the value at a path; with ``key``, that of its key.

        A missing path has the place of its nearest existing parent. Values from a merge key or an
        anchor have the place of their source.
        """
        return self.span(path, key=key)[0]

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the place like :meth:`place`, and the place after the last character."""
        return self.positions.span(path, key=key)

    def first_line(self, start: Place, end: Place) -> Place:
        """Return the end of a span's first line, for findings about something missing inside the
        span."""
        return self.positions.first_line(start, end)
