"""Flow collections on one line, ``{...}`` and ``[...]``, in documents that are read line by line."""

import re
from typing import Any

from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.line_scalars import KEY, LONGEST_WORD, Values
from gpuspec.manifests.plain_scalars import MOST_WORDS, PlainScalars, UnusualError
from gpuspec.manifests.scalars import Scalar

_OPENING = re.compile(rf" *+(?:({KEY}): ++)?([\[{{])")
_KEY = re.compile(f" *+({KEY})")
_KINDS: dict[str, type[dict[str, object]] | type[list[object]]] = {
    "{": dict,
    "}": dict,
    "[": list,
    "]": list,
}

_Element = tuple[str | None, type | None, Scalar]
"""Its key, if it has one; a collection's class; a scalar's value."""
_Piece = tuple[tuple[_Element, ...], tuple[type, ...]]
"""The elements that begin between two commas, and the classes of the collections that end there."""


class FlowReader:
    """Reads flow collections; each distinct piece is parsed only once."""

    __slots__ = ("_pieces",)

    def __init__(self, words: PlainScalars) -> None:
        self._pieces = _Pieces(words)

    def load(self, text: str, depth: int) -> object:
        """Return the value of a text that begins with a bracket and is nested in ``depth``
        collections.

        Raises:
            UnusualError: libyaml must read it.
        """
        pieces = self._pieces
        root: list[object] = []
        node: Any = root
        open_nodes = [node]
        # Commas inside quotes cut them apart, and half a quoted text is no scalar.
        for piece in text.split(","):
            elements, closed = pieces[piece]
            for key, kind, value in elements:
                element = value if kind is None else kind()
                if key is None:
                    if node.__class__ is not list:
                        raise UnusualError
                    node.append(element)
                elif node.__class__ is not dict or key in node:
                    raise UnusualError
                else:
                    node[key] = element
                if kind is not None:
                    if depth + len(open_nodes) > MAX_DEPTH:
                        raise UnusualError
                    node = element
                    open_nodes.append(node)
            for kind in closed:
                if node.__class__ is not kind or node is root:
                    raise UnusualError
                open_nodes.pop()
                node = open_nodes[-1]
        if node is not root or len(root) != 1:
            raise UnusualError
        return root[0]


class _Pieces(dict[str, _Piece]):
    """The text between two commas: opening brackets with their keys; a scalar with its key; closing
    brackets. Without the scalar, a collection is empty."""

    def __init__(self, words: PlainScalars) -> None:
        super().__init__()
        self.words = words
        self.scalars = Values(flow=True)

    def __missing__(self, text: str) -> _Piece:
        elements: list[_Element] = []
        at = 0
        while match := _OPENING.match(text, at):
            key = None if match[1] is None else self.words.keys[match[1]]
            elements.append((key, _KINDS[match[2]], None))
            at = match.end()
        rest = text[at:]
        scalar = rest.rstrip(" ]}")
        closed = tuple(_KINDS[mark] for mark in rest[len(scalar) :] if mark != " ")
        if scalar:
            elements.append(self.entry(scalar))
        elif not (elements and closed):
            raise UnusualError
        piece = tuple(elements), closed
        if len(text) <= LONGEST_WORD:
            if len(self) >= MOST_WORDS:
                self.clear()
            self[text] = piece
        return piece

    def entry(self, text: str) -> _Element:
        key, colon, value = text.partition(": ")
        if not colon:
            return None, None, self.scalars[text]
        match = _KEY.fullmatch(key)
        if match is None:
            raise UnusualError
        return self.words.keys[match[1]], None, self.scalars[value]
