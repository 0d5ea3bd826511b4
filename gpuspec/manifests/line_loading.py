"""The fastest path from YAML to plain values, for documents that can be parsed line by line.

Most manifests are written in this way: ``key: value``, ``- key: value``, ``- value``, a key whose
value is indented below it, ``{...}`` and ``[...]`` on one line, a block scalar after ``|``,
comments and blank lines; nothing else. One regular expression splits the lines, and a stack follows
the indentation. For anything else :class:`~gpuspec.manifests.plain_scalars.UnusualError` is raised,
and libyaml reads the document or reports its errors.
"""

import re
from collections.abc import Iterator
from typing import Any

from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.line_blocks import cut
from gpuspec.manifests.line_flow import FlowReader
from gpuspec.manifests.line_scalars import KEY, Values
from gpuspec.manifests.plain_scalars import PlainScalars, UnusualError

# Indentation, dash, key, the rest: each may be missing, so every line matches once.
_LINE = re.compile(rf"^( *+)(- ++)?(?:({KEY}):(?: ++|$))?(.*+)$", re.MULTILINE)
# What libyaml refuses or ends a line at stays behind, and is refused as a value. So is what is left
# of a quoted text that holds such a '#': its quotes do not pair.
_COMMENT = re.compile(r"(?<![^ \n])#[ -~\w]*+")
# Most documents that cannot be read here hold one of these. To look for them costs next to nothing.
_FOLDED = (">\n", ">-\n", "|+\n")
_LITERAL = ("|", "|-")
# So many characters are in memory at once, taken apart: up to two hundred bytes for each line. No
# line is longer.
_PIECE = 128 * 1024


class LineReader:
    """Reads documents; each distinct word is resolved only once."""

    __slots__ = ("_flow", "_keys", "_values")

    def __init__(self, words: PlainScalars) -> None:
        self._flow = FlowReader(words).load
        self._keys = words.keys
        self._values = Values(flow=False)

    def load(self, text: str) -> object:
        """Return the plain value of a text with at most one document; None if it has none.

        Raises:
            UnusualError: libyaml must read it.
        """
        if any(mark in text for mark in _FOLDED):
            raise UnusualError
        blocks: list[str] = []
        if "|" in text:
            text, blocks = cut(text)
            blocks.reverse()
        if "#" in text:
            text = _COMMENT.sub("", text)
        keys, values, flow = self._keys, self._values, self._flow
        # The document is the value of a key, as other collections are.
        document: dict[str, object] = {"": None}
        open_ = _Open(document)
        columns = open_.columns
        # The innermost collection; Any, since the tests on its class are written for speed.
        node: Any = document
        items: Any
        # Its last key or index, if that had no value on its line.
        waiting: str | int | None = ""
        for lines in _pieces(text):
            for indent, dash, key, value in lines:
                column = len(indent)
                if dash:
                    # A list may stand as far left as the key that it belongs to.
                    if waiting is not None and (
                        column > columns[-1] or (column == columns[-1] and node.__class__ is dict)
                    ):
                        items = node[waiting] = []
                        open_.enter(items, column)
                    else:
                        items = open_.back_to(column)
                        if items.__class__ is not list:
                            raise UnusualError
                    if not key:
                        if not value:
                            # Behind the dash was a comment.
                            waiting = len(items)
                            items.append(None)
                            node = items
                            continue
                        if value in _LITERAL:
                            items.append(blocks.pop())
                        else:
                            items.append(
                                flow(value, len(columns) - 1) if value[0] in "[{" else values[value]
                            )
                        node = items
                        waiting = None
                        continue
                    node = {}
                    items.append(node)
                    open_.enter(node, column + len(dash))
                elif not key:
                    if value:
                        raise UnusualError
                    continue
                elif column > columns[-1]:
                    if waiting is None:
                        raise UnusualError
                    node[waiting] = node = {}
                    open_.enter(node, column)
                elif column < columns[-1] or node.__class__ is list:
                    node = open_.back_to(column)
                    if node.__class__ is list:
                        open_.leave()
                        node = open_.back_to(column)
                name = keys[key]
                if name in node:
                    raise UnusualError
                if value in _LITERAL:
                    node[name] = blocks.pop()
                    waiting = None
                elif value:
                    node[name] = (
                        flow(value, len(columns) - 1) if value[0] in "[{" else values[value]
                    )
                    waiting = None
                else:
                    node[name] = None
                    waiting = name
        return document[""]


def _pieces(text: str) -> Iterator[list[tuple[str, str, str, str]]]:
    """Yield the split lines of a text."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind("\n", start, start + _PIECE)
        if end < 0:
            raise UnusualError
        yield _LINE.findall(text, start, end)
        start = end + 1
    yield _LINE.findall(text, start)


class _Open:
    """The open collections, outermost first, with their columns."""

    __slots__ = ("columns", "nodes")

    def __init__(self, document: object) -> None:
        self.nodes = [document]
        self.columns = [-1]

    def enter(self, node: object, column: int) -> None:
        if len(self.nodes) > MAX_DEPTH:
            raise UnusualError
        self.nodes.append(node)
        self.columns.append(column)

    def leave(self) -> None:
        del self.nodes[-1], self.columns[-1]

    def back_to(self, column: int) -> Any:
        """Close all collections further right, and return the innermost one."""
        while self.columns[-1] > column:
            self.leave()
        if self.columns[-1] != column:
            raise UnusualError
        return self.nodes[-1]
