"""The positions of everything in one document, from its node graph and its lines."""

import re
from collections.abc import Iterable
from functools import cached_property

from gpuspec.manifests.construct import find
from gpuspec.manifests.graph import Anchor, YamlNode, compose
from gpuspec.manifests.line_positions import LinePositions
from gpuspec.manifests.paths import Path
from gpuspec.manifests.problems import Place
from gpuspec.manifests.sources import Chunk

_LINE = re.compile("\r\n?|\n")


class Positions:
    """The places in one document, computed once from its text."""

    def __init__(
        self, chunk: Chunk, anchors: Iterable[Anchor] = (), *, by_lines: bool = False
    ) -> None:
        """Keep the chunk. `anchors` are those to which the document can refer without containing
        them; `by_lines`: whether `LineReader` has read it."""
        self.chunk = chunk
        self.text = chunk.text
        self._given = anchors
        self._lines = LinePositions(self.text) if by_lines else None

    @property
    def root(self) -> YamlNode | None:
        """The root node; None if the text contains no document, or an unreadable one."""
        return self._graph[0]

    @property
    def anchors(self) -> list[Anchor]:
        """The given anchors and its own, in the order of the text."""
        return self._graph[1]

    @cached_property
    def _graph(self) -> tuple[YamlNode | None, list[Anchor]]:
        # It tells all that the lines do.
        self._lines = None
        anchors = list(self._given)
        return compose(self.chunk, anchors)[0], anchors

    @cached_property
    def _texts(self) -> list[str]:
        return _LINE.split(self.text) if "\r" in self.text else self.text.split("\n")

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the place of the value at a path, or of its key, and the place after its end."""
        if self._lines is not None and (line_span := self._lines.span(path, key=key)) is not None:
            return self.chunk.place(*line_span[0]), self.chunk.place(*line_span[1])
        if self.root is None:
            start = self.chunk.place(0, 0)
            return start, start
        *_, (key_node, value_node) = find(self.root, path)
        node = key_node if key else value_node
        return self.chunk.place(*node.start), self.chunk.place(*node.end)

    def place_at(self, offset: int) -> Place:
        """Return the place of the character at an offset."""
        return self.chunk.place_at(offset)

    def first_line(self, start: Place, end: Place) -> Place:
        """Return the end of a span's first line."""
        if end.line == start.line:
            return end
        size = len(self._texts[start.line - self.chunk.line - 1].rstrip())
        return Place(start.file, start.line, max(size, start.column) + 1)
