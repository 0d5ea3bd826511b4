"""The one way from a plan's values to an object.

Templates never see a value. Each leaf they mention is written as a token of two private-use
characters and a number; the text is read as YAML while it holds nothing but tokens and the
template's own words, and only then are tokens replaced by values. So no value can change the
structure, whatever it contains. While tokens are replaced, the path of each leaf is recorded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from gpuspec.manifests import Path
from gpuspec.plan import Leaf

OPEN, CLOSE = "\ue000", "\ue001"
_TOKEN = re.compile(f"{OPEN}([0-9]+){CLOSE}")
ABSENT = object()
Provenance = dict[Path, Leaf]


class View:
    """What a template sees of a part of the plan: its fields, its truth, its length, its token."""

    __slots__ = ("_encoder", "_node")

    def __init__(self, node: Any, encoder: "Encoder") -> None:
        self._node = node
        self._encoder = encoder

    def __getattr__(self, name: str) -> Any:
        node = self._node
        if name.startswith("_"):
            raise AttributeError(name)
        if isinstance(node, Mapping):
            if name in node:
                return View(node[name], self._encoder)
        elif is_dataclass(node) and not isinstance(node, Leaf) and hasattr(node, name):
            return View(getattr(node, name), self._encoder)
        raise AttributeError(name)

    def __iter__(self) -> Iterator["View"]:
        node = self._node
        items: Any = node if isinstance(node, Sequence) else ()
        return (View(item, self._encoder) for item in items)

    def __len__(self) -> int:
        node = self._node.value if isinstance(self._node, Leaf) else self._node
        return len(node) if node is not None else 0

    def __bool__(self) -> bool:
        node = self._node.value if isinstance(self._node, Leaf) else self._node
        # Zero is something to write; False, None and what is empty are not.
        return bool(node) or (node == 0 and node is not False)

    def __eq__(self, other: object) -> bool:
        node = self._node.value if isinstance(self._node, Leaf) else self._node
        return bool(node == (other._node if isinstance(other, View) else other))

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return self._encoder.token(self._node)


class Encoder:
    """Numbers the leaves that one template mentions, and puts their values in place of tokens."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []

    def token(self, node: Any) -> str:
        """The token that stands for a part of the plan in the template's text."""
        self._nodes.append(node)
        return f"{OPEN}{len(self._nodes) - 1}{CLOSE}"

    def substitute(self, skeleton: object, record: Provenance) -> Any:
        """The object: the skeleton with its tokens replaced; `record` gets each leaf's path.

        Keys whose value is absent are dropped, and mappings and lists that become empty with
        them. Raises `ValueError` for a mapping used inside a longer text.
        """
        made = self._fill(skeleton, (), record)
        return {} if made is ABSENT else made

    def _fill(self, node: object, path: Path, record: Provenance) -> Any:
        if isinstance(node, str):
            return self._text(node, path, record) if OPEN in node else node
        if isinstance(node, dict):
            return self._mapping(node, path, record)
        if isinstance(node, list):
            items: list[Any] = []
            for item in node:
                made = self._fill(item, (*path, len(items)), record)
                if made is not ABSENT:
                    items.append(made)
            return items if items or not node else ABSENT
        return ABSENT if node is None else node

    def _mapping(self, node: dict[str, Any], path: Path, record: Provenance) -> Any:
        out: dict[str, Any] = {}
        for key, value in node.items():
            name = self._text(key, path, record) if OPEN in key else key
            made = self._fill(value, (*path, str(name)), record)
            if made is not ABSENT:
                out[str(name)] = made
        return out if out or not node else ABSENT

    def _text(self, text: str, path: Path, record: Provenance) -> Any:
        whole = _TOKEN.fullmatch(text)
        if whole:
            return self._expand(self._nodes[int(whole[1])], path, record)
        parts: list[str] = []
        end = 0
        for match in _TOKEN.finditer(text):
            node = self._nodes[int(match[1])]
            value = node.value if isinstance(node, Leaf) else node
            if not isinstance(value, str | int):
                raise ValueError(f"{type(value).__name__} inside a text")
            if isinstance(node, Leaf):
                record[path] = node
            parts += [text[end : match.start()], str(value)]
            end = match.end()
        return "".join([*parts, text[end:]])

    def _expand(self, node: Any, path: Path, record: Provenance) -> Any:
        if node is None:
            return ABSENT
        if isinstance(node, Leaf):
            if node.value is None:
                return ABSENT
            record[path] = node
            return _copied(node.value)
        if isinstance(node, Mapping):
            made = {k: self._expand(v, (*path, k), record) for k, v in node.items()}
            made = {k: v for k, v in made.items() if v is not ABSENT}
            return made or ABSENT
        if isinstance(node, Sequence) and not isinstance(node, str):
            items: list[Any] = []
            for item in node:
                value = self._expand(item, (*path, len(items)), record)
                if value is not ABSENT:
                    items.append(value)
            return items or ABSENT
        if is_dataclass(node):
            names = ", ".join(field.name for field in fields(node))
            raise ValueError(f"a group of fields where a value belongs; it has: {names}")
        return node


def _copied(value: Any) -> Any:
    """A copy whose mappings and lists nobody else holds: objects are changed by overrides."""
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(inner) for inner in value]
    return value
