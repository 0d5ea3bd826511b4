"""Construction of plain values from a node graph, and lookup of the nodes on a path."""

import math
from collections.abc import Iterator

from gpuspec.manifests.graph import (
    AliasNode,
    EntryIndex,
    MappingNode,
    Position,
    ScalarNode,
    SequenceNode,
    YamlNode,
)
from gpuspec.manifests.limits import MAX_ALIASED, MAX_DEPTH
from gpuspec.manifests.paths import Path
from gpuspec.manifests.problems import NO_NUMBER, Problem
from gpuspec.manifests.scalars import (
    Scalar,
    ScalarError,
    key_text,
    resolve,
    resolve_key,
    resolve_tagged,
)
from gpuspec.manifests.sources import Chunk
from gpuspec.manifests.syntax import template_hint


def construct(root: YamlNode, chunk: Chunk) -> tuple[object, list[Problem]]:
    """Return the plain value of a graph, and its problems. Aliases become copies."""
    builder = _Builder(chunk)
    try:
        value = builder.value(root, 0)
    except _BombError:
        value = None
    return value, list(builder.problems)


class _BombError(Exception):
    """Aliases expand to too much; the problem has been reported."""


class _Builder:
    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        # A dict, because what an anchor holds is met again at each of its aliases.
        self.problems: dict[Problem, None] = {}
        self.through: list[YamlNode] = []
        """The aliases and merges on the way to the current node."""
        self.copied = 0

    def report(self, message: str, at: Position, hint: str | None = None) -> None:
        self.problems[Problem(message, self.chunk.place(*at), hint)] = None

    def count(self, depth: int) -> None:
        if not self.through:
            return
        self.copied += 1
        if self.copied > MAX_ALIASED or depth > MAX_DEPTH:
            self.report(
                f"aliases make this more than {MAX_ALIASED:,} values or {MAX_DEPTH} levels",
                self.through[0].start,
                "write the values out instead of aliases",
            )
            raise _BombError

    def value(self, node: YamlNode, depth: int) -> object:
        self.count(depth)
        if isinstance(node, ScalarNode):
            return self.scalar(node)
        if isinstance(node, SequenceNode):
            return [self.value(item, depth + 1) for item in node.items]
        if isinstance(node, MappingNode):
            out: dict[str, object] = {}
            self.fill(node, out, depth)
            return out
        assert isinstance(node, AliasNode)
        self.through.append(node)
        value = self.value(node.target, depth + 1)
        self.through.pop()
        return value

    def scalar(self, node: ScalarNode) -> Scalar:
        try:
            value = _scalar(node)
        except ScalarError as error:
            self.report(str(error), node.start, "remove the tag")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self.report(f"{node.text} {NO_NUMBER}", node.start)
        return value

    def fill(self, node: MappingNode, out: dict[str, object], depth: int) -> None:
        """Put a mapping's entries into a dict in kubectl's order: the last one wins, merged or not."""
        nodes: dict[str, YamlNode] = {}
        for key_node, value_node in node.entries():
            if _is_merge(key_node):
                self.through.append(value_node)
                for source in self.merge_sources(value_node):
                    self.count(depth)
                    self.fill(source, out, depth + 1)
                self.through.pop()
                continue
            value = self.value(value_node, depth + 1)
            try:
                key = _key(key_node)
            except ScalarError as error:
                self.report(str(error), key_node.start, template_hint(self.chunk.text))
                continue
            if key in nodes:
                first = self.chunk.place(*nodes[key].start)
                then = "remove one of the two: kubectl silently uses this one"
                if depth == 0 and key == "apiVersion":
                    # As where files are joined that do not begin with one.
                    then = "write a line `---` above, if another object begins here"
                hint = f"{then} (`{key}` is already at {first})"
                self.report(f"duplicate key {key!r}", key_node.start, hint)
            nodes.setdefault(key, key_node)
            out[key] = value

    def merge_sources(self, node: YamlNode) -> list[MappingNode]:
        try:
            return _merge_sources(node)
        except ScalarError as error:
            self.report(str(error), node.start)
            return []


def find(root: YamlNode, path: Path) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield the key node and value node of each existing step of a path, the root first.

    An item of a sequence, and the root, are their own keys. A merged key is found at its source; an
    alias at the alias itself, and its content at the anchor.
    """
    yield root, root
    node = root
    for step in path:
        target = _target(node)
        if isinstance(step, int) and isinstance(target, SequenceNode):
            if not 0 <= step < len(target.items):
                return
            node = target.items[step]
            yield node, node
        elif isinstance(step, str) and isinstance(target, MappingNode):
            entry = _entry(target, step)
            if entry is None:
                return
            yield entry
            node = entry[1]
        else:
            return


def _entry(node: MappingNode, key: str) -> tuple[YamlNode, YamlNode] | None:
    """Return the effective entry of a key: the last one."""
    last_by_key, merges = node.indexed(_index)
    at = last_by_key.get(key, -1)
    for merge in reversed(merges):
        if merge < at:
            break
        for source in reversed(_merge_sources(node.items[merge + 1])):
            if (entry := _entry(source, key)) is not None:
                return entry
    return None if at < 0 else (node.items[at], node.items[at + 1])


def _index(node: MappingNode) -> EntryIndex:
    """Return the index of a mapping's keys and merges. Invalid keys have been reported."""
    last_by_key: dict[str, int] = {}
    merges: list[int] = []
    for at in range(0, len(node.items), 2):
        try:
            if not _is_merge(node.items[at]):
                last_by_key[_key(node.items[at])] = at
            elif _merge_sources(node.items[at + 1]):
                merges.append(at)
        except ScalarError:
            continue
    return last_by_key, merges


def _scalar(node: ScalarNode) -> Scalar:
    if node.plain:
        return resolve(node.text)
    if node.tag is None or node.tag == "!":
        return node.text
    return resolve_tagged(node.tag, node.text)


def _key(node: YamlNode) -> str:
    target = _target(node)
    if not isinstance(target, ScalarNode):
        raise ScalarError("a list or a map cannot be a key")
    return resolve_key(target.text) if target.plain else key_text(_scalar(target))


def _is_merge(node: YamlNode) -> bool:
    return (
        isinstance(node, ScalarNode)
        and node.text == "<<"
        and (node.plain or node.tag == "tag:yaml.org,2002:merge")
    )


def _merge_sources(node: YamlNode) -> list[MappingNode]:
    """Return the mappings of a merge key; the last one wins."""
    target = _target(node)
    # A list of mappings cannot stand behind an alias.
    sources = node.items[::-1] if isinstance(node, SequenceNode) else [target]
    mappings = [_target(source) for source in sources]
    if not all(isinstance(mapping, MappingNode) for mapping in mappings):
        raise ScalarError("'<<' merges a map, or a list of maps")
    return [mapping for mapping in mappings if isinstance(mapping, MappingNode)]


def _target(node: YamlNode) -> YamlNode:
    return node.target if isinstance(node, AliasNode) else node
