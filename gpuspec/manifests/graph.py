"""The node graph of one YAML document, with the position of each node.

libyaml delivers the events: its grammar is the one that go-yaml was ported from. Composing does not
recurse, so deep nesting cannot overflow the stack.
"""

import re
from typing import TYPE_CHECKING, Any

import msgspec
from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.problems import NO_MEANING, Problem
from gpuspec.manifests.sources import Chunk
from gpuspec.manifests.syntax import CParser, syntax_problem

if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPED_SLASH = "\\/"
_BARE_TAG = re.compile(r"(?:&\S+\s+)?!(?:\s|\Z)")

Position = tuple[int, int]
"""Line and column in the chunk, from 0."""


class YamlNode(msgspec.Struct, eq=False):
    """A node in the text: exactly one of the kinds below."""

    start: Position
    end: Position


class ScalarNode(YamlNode, eq=False):
    """A scalar. ``plain`` says that it has neither quotes nor a tag."""

    text: str
    tag: str | None
    plain: bool


class SequenceNode(YamlNode, eq=False):
    """A sequence."""

    items: list[YamlNode] = msgspec.field(default_factory=list)


EntryIndex = tuple[dict[str, int], list[int]]
"""The positions in a mapping's items of the last key with each name, and of its merge keys."""


class MappingNode(YamlNode, eq=False):
    """A mapping: keys and values alternate, as written."""

    items: list[YamlNode] = msgspec.field(default_factory=list)
    _index: EntryIndex | None = None

    def indexed(self, index: "Callable[[MappingNode], EntryIndex]") -> EntryIndex:
        """Return the index of a complete mapping, which `index` builds on the first call."""
        if self._index is None:
            self._index = index(self)
        return self._index

    def entries(self) -> list[tuple[YamlNode, YamlNode]]:
        """Return key and value of each entry, in order."""
        return list(zip(self.items[::2], self.items[1::2], strict=True))


class AliasNode(YamlNode, eq=False):
    """``*name``, and the node to which it refers."""

    target: YamlNode


Anchor = tuple[str, YamlNode]
"""A name, and the node with this anchor."""


def compose(
    chunk: Chunk, anchors: list[Anchor] | None = None
) -> tuple[YamlNode | None, list[Problem]]:
    """Return the graph of the document in a chunk, and its syntax problems.

    The node is None for a chunk without a document, and after a problem that hides the rest.
    `anchors` are those to which the chunk may refer, in order; its own are appended.
    """
    composer = _Composer(chunk, [] if anchors is None else anchors)
    try:
        composer.run()
    except _GaveUpError:
        return None, composer.problems
    except YAMLError as error:
        return None, [*composer.problems, syntax_problem(chunk, error)]
    return composer.root, composer.problems


class _GaveUpError(Exception):
    """The rest of the document cannot be read; the reason is among the problems."""


class _Composer:
    def __init__(self, chunk: Chunk, anchors: list[Anchor]) -> None:
        self.chunk = chunk
        self.text = chunk.parser_text
        self.has_tags = "!" in self.text
        self.root: YamlNode | None = None
        self.problems: list[Problem] = []
        self.named = anchors
        self.anchors = dict(anchors)
        self.open: list[SequenceNode | MappingNode] = []
        self.flow: list[bool] = []

    def run(self) -> None:
        # The stubs allow for events without marks; libyaml's have them.
        next_event: Callable[[], Any] = CParser(self.text).get_event
        while (event := next_event()) is not None:
            start = (event.start_mark.line, event.start_mark.column)
            end = (event.end_mark.line, event.end_mark.column)
            kind = event.__class__
            if kind is ScalarEvent:
                self.add(self.scalar(event, start, end), event.anchor)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self.enter(event, start, end)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self.leave(end)
            elif kind is AliasEvent:
                self.add(self.alias(event, start, end), None)
            elif kind is DocumentStartEvent and self.root is not None:
                self.report(
                    "kubectl ignores what follows a document's end",
                    start,
                    "separate documents with a '---' line",
                )
                raise _GaveUpError

    def report(self, message: str, at: Position, hint: str | None = None) -> None:
        self.problems.append(Problem(message, self.chunk.place(*at), hint))

    def add(self, node: YamlNode, anchor: str | None) -> None:
        if anchor is not None:
            # A later anchor of the same name takes over, as it does for kubectl.
            self.anchors[anchor] = node
            self.named.append((anchor, node))
        if self.open:
            self.open[-1].items.append(node)
        else:
            self.root = node

    def scalar(self, event: Any, start: Position, end: Position) -> ScalarNode:
        plain: bool = event.implicit[0]
        if plain and self.has_tags and _BARE_TAG.match(self.text, event.start_mark.index):
            # libyaml drops a tag without a name; to kubectl it makes a string.
            plain = False
        if plain and "?" in event.value and self.flow and self.flow[-1]:
            self.report(
                "kubectl does not read an unquoted '?' inside [...] or {...}",
                start,
                "put the value in quotes",
            )
        if event.style == '"' and not self.chunk.is_json:
            source = self.text[event.start_mark.index : event.end_mark.index]
            if _ESCAPED_SLASH in source and source.replace("\\\\", "").count(_ESCAPED_SLASH):
                self.report("kubectl does not read the escape \\/ in YAML", start, "write /")
        return ScalarNode(start, end, event.value, event.tag, plain)

    def alias(self, event: Any, start: Position, end: Position) -> YamlNode:
        target = self.anchors.get(event.anchor)
        if target is None:
            self.report(f"no anchor &{event.anchor} comes before this alias", start)
        elif target in self.open:
            self.report(f"the anchor &{event.anchor} contains itself", start)
        else:
            return AliasNode(start, end, target)
        return ScalarNode(start, end, "", None, plain=False)

    def enter(self, event: Any, start: Position, end: Position) -> None:
        if len(self.open) == MAX_DEPTH:
            self.report(f"nested deeper than {MAX_DEPTH} levels", start)
            raise _GaveUpError
        is_mapping = isinstance(event, MappingStartEvent)
        allowed = (None, "!", f"tag:yaml.org,2002:{'map' if is_mapping else 'seq'}")
        if event.tag not in allowed:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.report(f"the tag {tag} {NO_MEANING}", start, "remove the tag")
        node = MappingNode(start, end) if is_mapping else SequenceNode(start, end)
        self.add(node, event.anchor)
        self.open.append(node)
        self.flow.append(event.flow_style)

    def leave(self, end: Position) -> None:
        node = self.open.pop()
        if self.flow.pop():
            node.end = end
        elif node.items:
            # libyaml ends a block where the next token begins, comments and blank lines included.
            node.end = node.items[-1].end
