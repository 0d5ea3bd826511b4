"""The encoding of a plan's values as tokens, which are replaced after a template was laid out.

Templates never see a value. Each value they refer to is written as a token of two private-use
characters and a number. The text with its tokens is parsed as YAML, and only then are the tokens
replaced by values, so that no value can change the structure. The path of each value is recorded at
the same time.
"""

import re
from typing import Any

from msgspec import Struct

from gpuspec.manifests import Path, format_path
from gpuspec.numbers import of_digits
from gpuspec.plan import Decision

OPEN, CLOSE = "\ue000", "\ue001"
TOKEN = re.compile(f"{OPEN}([0-9]+){CLOSE}")
Provenance = dict[Path, Decision]
_ABSENT = object()


class Encoder:
    """Numbers the decisions that one template mentions, and puts their values in place of tokens."""

    def __init__(self, nodes: list[Any] | None = None) -> None:
        """Begin with the parts of the plan behind the tokens of an existing text in `nodes`."""
        self._nodes = [] if nodes is None else nodes
        self.written: list[Path] = []
        """The path of each token's part of the plan, in the order of the text."""
        self.asked: dict[tuple[Path, str, str], bool | int | None] = {}
        """The template's questions about the plan, with the answers: see `view.answer`."""
        self.compared = False
        """Whether the template compared values, which may differ between plans with the same form.
        """

    def token(self, node: Any, path: Path) -> str:
        """Return the token that stands for a part of the plan in the template's text."""
        self._nodes.append(node)
        self.written.append(path)
        return f"{OPEN}{len(self._nodes) - 1}{CLOSE}"

    def substitute(self, skeleton: dict[str, Any], record: Provenance) -> dict[str, Any]:
        """Return the object: the skeleton with its tokens replaced. `record` is called with the
        path of each value.

        Keys without a value are dropped, and so are mappings and lists that become empty. Raises
        `ValueError`, with the path, for a part of the plan that is not allowed at this place.
        """
        filled = self._fill(skeleton, (), record)
        return {} if filled is _ABSENT else filled

    def _fill(self, node: object, path: Path, record: Provenance) -> Any:
        if isinstance(node, str):
            return self._text(node, path, record) if OPEN in node else node
        if isinstance(node, dict):
            return self._mapping(node, path, record)
        if isinstance(node, list):
            items: list[Any] = []
            for item in node:
                filled = self._fill(item, (*path, len(items)), record)
                if filled is not _ABSENT:
                    items.append(filled)
            return items if items or not node else _ABSENT
        return _ABSENT if node is None else node

    def _mapping(self, node: dict[str, Any], path: Path, record: Provenance) -> Any:
        out: dict[str, Any] = {}
        for key, value in node.items():
            name = self._text(key, path, {}) if OPEN in key else key
            if not isinstance(name, str):
                raise ValueError(f"{_at(path)}a key is not a string")
            if name in out:
                raise ValueError(f"{_at(path)}the key {name} appears twice")
            filled = self._fill(value, (*path, name), record)
            if filled is not _ABSENT:
                out[name] = filled
        return out if out or not node else _ABSENT

    def _text(self, text: str, path: Path, record: Provenance) -> Any:
        whole = TOKEN.fullmatch(text)
        if whole:
            return self._expand(self._node(whole[1], path), path, record)
        parts: list[str] = []
        end = 0
        for match in TOKEN.finditer(text):
            node = self._node(match[1], path)
            value = node.value if isinstance(node, Decision) else node
            if not isinstance(value, str | int) or isinstance(value, bool):
                raise ValueError(f"{_at(path)}{_kind(value)} inside a string")
            if isinstance(node, Decision):
                record[path] = node
            parts += [text[end : match.start()], str(value)]
            end = match.end()
        return "".join([*parts, text[end:]])

    def _node(self, number: str, path: Path) -> Any:
        index = of_digits(number)
        if index >= len(self._nodes):
            raise ValueError(f"{_at(path)}the characters U+E000 and U+E001 are reserved")
        return self._nodes[index]

    def _expand(self, node: Any, path: Path, record: Provenance) -> Any:
        if isinstance(node, Decision):
            if node.value is None:
                return _ABSENT
            record[path] = node
            return _copied(node.value)
        if isinstance(node, dict):
            expanded = {
                key: self._expand(value, (*path, key), record) for key, value in node.items()
            }
            return {
                key: value for key, value in expanded.items() if value is not _ABSENT
            } or _ABSENT
        if isinstance(node, list | tuple):
            items: list[Any] = []
            for item in node:
                value = self._expand(item, (*path, len(items)), record)
                if value is not _ABSENT:
                    items.append(value)
            return items or _ABSENT
        if node is None:
            return _ABSENT
        raise ValueError(f"{_at(path)}{_kind(node)} where a value belongs")


def _at(path: Path) -> str:
    return f"at {format_path(path)}: " if path else ""


def _kind(value: Any) -> str:
    """Return the type of a misplaced value, as a phrase."""
    if isinstance(value, Struct):
        return f"a group of fields ({', '.join(value.__struct_fields__)})"
    names = {dict: "a mapping", list: "a list", tuple: "a list", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def _copied(value: Any) -> Any:
    """Return a deep copy, because overrides change objects in place."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(inner) for inner in value]
    return value
