"""The offsets of all parts of a document, from its node graph."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.lint.fixing.text import DocumentText
from gpuspec.manifests.construct import find
from gpuspec.manifests.graph import (
    AliasNode,
    Anchor,
    MappingNode,
    ScalarNode,
    SequenceNode,
    YamlNode,
)
from gpuspec.manifests.positions import Positions
from gpuspec.manifests.sources import Chunk, SourceFile

if TYPE_CHECKING:
    from gpuspec.manifests import Path

_PROPERTY = re.compile(r"[&!]\S*")


class Slot(msgspec.Struct, eq=False):
    """The slot of a value: its collection and its key; an item is its own key."""

    parent: YamlNode
    key: YamlNode
    value: YamlNode
    index: int
    """The index in its parent, from 0."""


class LocatedText(DocumentText):
    """The text of one document, with the offsets of all its parts in characters."""

    def __init__(self, text: str, *, is_json: bool, positions: Positions | None = None) -> None:
        """Keep the text, and its `positions` if they are known."""
        super().__init__(text)
        self.is_json = is_json
        if positions is None:
            positions = Positions(Chunk(SourceFile("", text), 0, len(text), 0, is_json=is_json))
        if positions.root is None:
            raise NoFixError("the text holds no document")
        self.root = positions.root
        self.anchors = positions.anchors

    def found(self, path: Path) -> list[Slot]:
        """Return the slots of a path's existing steps. The root has none."""
        nodes = list(find(self.root, path))
        slots: list[Slot] = []
        for step, ((_, parent), (key, value)) in zip(path, pairwise(nodes), strict=False):
            if isinstance(parent, AliasNode):
                raise NoFixError("what is written there stands for several places")
            assert isinstance(parent, MappingNode | SequenceNode)
            if isinstance(parent, SequenceNode):
                assert isinstance(step, int)
                index = step
            elif key in parent.items:
                index = parent.items.index(key) // 2
            else:
                raise NoFixError("the key comes out of a merge")
            slots.append(Slot(parent, key, value, index))
        return slots

    def start(self, node: YamlNode) -> int:
        """Return where a node begins, anchor and tag included."""
        return self.offset(node.start)

    def properties(self, node: YamlNode) -> int:
        """Return the end of a node's anchor and tag, or its start if it has none."""
        at = end = self.start(node)
        # The anchor in front of a mapping's first key is the key's.
        first = node.items[0] if isinstance(node, MappingNode) and node.items else None
        if first is not None and first.start == node.start:
            return at
        while match := _PROPERTY.match(self.text, at):
            end = match.end()
            at = self.skip(end)
        return end

    def content(self, node: YamlNode) -> int:
        """Return where a node's content begins, after its anchor and tag; their end for an empty
        node."""
        end = self.properties(node)
        if end == self.start(node):
            return end
        return (
            end if isinstance(node, ScalarNode) and end == self.offset(node.end) else self.skip(end)
        )

    def end(self, node: YamlNode) -> int:
        """Return the offset after the last character of a node. A block scalar ends before its last
        line break."""
        if isinstance(node, MappingNode | SequenceNode) and node.items and not self.is_flow(node):
            return self.end(node.items[-1])
        end = self.offset(node.end)
        if not isinstance(node, ScalarNode) or not self.is_block_text(node):
            return end
        body = node.text.rstrip("\n")
        if "+" in self._head(node) or not body or body[-1] in " \t":
            # The blank lines at its end are a part of it.
            return self.line_end(end - 1) if self.text[end - 1 : end] in ("\n", "\r") else end
        return self.content(node) + len(self.text[self.content(node) : end].rstrip())

    def is_block_text(self, node: YamlNode) -> bool:
        """Return whether a node is a block scalar, `|` or `>`."""
        return isinstance(node, ScalarNode) and self._begins(node, "|>")

    def follows_kept(self, offset: int) -> bool:
        """Return whether the line of an offset follows a block scalar (`|+`) that includes trailing
        blank lines."""
        return self._block_texts.get(self.line_start(offset), False)

    def follows_text(self, offset: int) -> bool:
        """Return whether the line of an offset follows a block scalar, which includes its line
        break."""
        return self.line_start(offset) in self._block_texts

    @cached_property
    def _block_texts(self) -> dict[int, bool]:
        """The ends of block scalars, and whether they include trailing blank lines."""
        return {
            self.offset(node.end): "+" in self._head(node)
            for holder in self.collections
            for node in holder.items
            if self.is_block_text(node)
        }

    def size(self, node: YamlNode) -> int:
        """Return the number of a collection's entries or items."""
        if isinstance(node, MappingNode):
            return len(node.items) // 2
        return len(node.items) if isinstance(node, SequenceNode) else 0

    def is_flow(self, node: YamlNode) -> bool:
        """Return whether a node is written in `{}` or `[]`."""
        return not isinstance(node, ScalarNode | AliasNode) and self._begins(node, "{[")

    def is_pair(self, node: YamlNode) -> bool:
        """Return whether a node is a mapping without braces in a flow list: `[a: 1]`."""
        return (
            not self.is_json
            and isinstance(node, MappingNode)
            and id(node) in self._in_brackets
            and not self.is_flow(node)
        )

    @cached_property
    def _in_brackets(self) -> set[int]:
        """The mappings that are items of flow lists."""
        return {
            id(node)
            for holder in self.collections
            if isinstance(holder, SequenceNode)
            for node in holder.items
            if isinstance(node, MappingNode) and self.is_flow(holder)
        }

    def is_open_block(self, node: YamlNode) -> bool:
        """Return whether a node is a block collection that begins on a line of its own, or after
        dashes."""
        if isinstance(node, ScalarNode | AliasNode) or self.is_flow(node) or self.is_json:
            return False
        at = self.content(node)
        return not self.text[self.line_start(at) : at].strip("- ")

    def is_empty(self, node: YamlNode) -> bool:
        """Return whether a node has no text: the null after `key:`."""
        return isinstance(node, ScalarNode) and self.content(node) == self.offset(node.end)

    def point(self, slot: Slot) -> int:
        """Return the offset before a value in block style: after the colon or dash, anchor and tag."""
        end = self.properties(slot.value)
        if end > self.start(slot.value):
            return end
        return (self.dash(slot) if slot.key is slot.value else self.colon(slot)) + 1

    def colon(self, slot: Slot) -> int:
        """Return the colon of an entry."""
        at = self.skip(self.offset(slot.key.end))
        if self.text[at : at + 1] != ":":
            raise NoFixError("an entry without a colon")
        return at

    def dash(self, slot: Slot) -> int:
        """Return the dash of an item in block style."""
        assert isinstance(slot.parent, SequenceNode)
        if slot.index == 0:
            return self.content(slot.parent)
        at = self.skip(self.end(slot.parent.items[slot.index - 1]))
        if self.text[at : at + 1] != "-":
            raise NoFixError("an item without a dash")
        return at

    def indent(self, node: YamlNode) -> int:
        """Return the column of a block collection's entries."""
        return self.column(self.content(node))

    @cached_property
    def collections(self) -> list[MappingNode | SequenceNode]:
        """All mappings and lists."""
        nodes: list[MappingNode | SequenceNode] = []
        waiting: list[YamlNode] = [self.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, MappingNode | SequenceNode):
                nodes.append(node)
                waiting += node.items
        return nodes

    def anchors_before(self, offset: int) -> list[Anchor]:
        """Return the anchors to which text after an offset may refer."""
        return [anchor for anchor in self.anchors if self.start(anchor[1]) < offset]

    def is_named(self, start: int, end: int) -> bool:
        """Return whether a range of the text contains an anchor, or is inside an aliased node."""
        return any(
            start <= self.start(node) < end or self.start(node) <= start < self.end(node)
            for _, node in self.anchors
        )

    def _head(self, node: YamlNode) -> str:
        """Return the header line of a block scalar."""
        at = self.content(node)
        return self.text[at : self.line_end(at)].partition("#")[0]

    def _begins(self, node: YamlNode, characters: str) -> bool:
        at = self.content(node)
        return self.text[at : at + 1] in tuple(characters)
