"""A document as it was read: its value, and where each part of it is written."""

from typing import TYPE_CHECKING

from gpuspec.manifests.paths import Path
from gpuspec.manifests.problems import Place
from gpuspec.manifests.sources import Chunk, SourceFile

if TYPE_CHECKING:
    from gpuspec.manifests.positions import Positions


class Document:
    """One document of a source.

    The value comes without positions, which would cost more than the reading; they are worked out
    from the text when first asked for.
    """

    __slots__ = ("_by_lines", "_chunk", "_positions", "index", "sound", "value")

    value: object
    """Plain ``dict`` (keys are strings), ``list``, ``str``, ``int``, ``float``, ``bool``, ``None``.
    No part of it is shared, so it may be changed in place. Never None at the top: kubectl drops
    empty documents, and so does :func:`~gpuspec.manifests.read`."""
    index: int
    """Which of the source's documents this is, from 0."""
    sound: bool
    """Nothing is wrong with its text."""

    def __init__(
        self,
        value: object,
        chunk: Chunk,
        index: int,
        *,
        sound: bool = True,
        by_lines: bool = False,
    ) -> None:
        """Keep the document. `by_lines`: `LineReader` has read it."""
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
        """Let go of the value, for whoever reads many documents. Places stay known."""
        self.value = None
        self.forget()

    def forget(self) -> None:
        """Let go of the positions, which are worked out again when they are asked for."""
        self._positions = None

    @property
    def source(self) -> SourceFile:
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

    @property
    def size(self) -> int:
        """How many characters :attr:`text` has."""
        return self._chunk.end - self._chunk.start

    def place_at(self, offset: int) -> Place:
        """Return where the character at an offset in :attr:`text` stands in the file."""
        return (self._positions or self._chunk).place_at(offset)

    @property
    def positions(self) -> "Positions":
        """Where all of it is written: worked out once, and kept until it is let go of."""
        # Positions are for findings and errors; most runs have none.
        if self._positions is None:
            from gpuspec.manifests.positions import Positions

            self._positions = Positions(self._chunk, by_lines=self._by_lines)
        return self._positions

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return where the value at a path is written; with ``key``, where its key is.

        A path that does not exist is at its nearest parent that does. What comes from a merge key
        or an anchor is where it is written.
        """
        return self.span(path, key=key)[0]

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the place like :meth:`place`, and the place behind the last character."""
        return self.positions.span(path, key=key)

    def first_line(self, start: Place, end: Place) -> Place:
        """Return the end of a span's first line: where the span is only the surroundings of what is
        meant."""
        return self.positions.first_line(start, end)
