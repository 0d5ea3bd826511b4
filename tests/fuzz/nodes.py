"""Trees of YAML and JSON that hold what plain data cannot: keys twice, tags, anchors, wrong texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

SCALAR, LIST, MAP = "scalar", "list", "map"
_RESOLVER = yaml.resolver.Resolver()
_QUOTED = {'"': "\\", "\\": "\\"}


@dataclass(slots=True)
class Node:
    """One value. A map's items are keys and values by turns."""

    kind: str
    text: str = ""
    """Of a scalar."""
    style: str = ""
    """Of a scalar: plain (as the text stands, right or not), `"` or `|`."""
    items: list["Node"] = field(default_factory=list)
    flow: bool = False
    before: str = ""
    """Anchor and tag."""
    comment: str = ""

    def copy(self) -> "Node":
        items = [one.copy() for one in self.items]
        return Node(self.kind, self.text, self.style, items, self.flow, self.before, self.comment)

    def get(self, key: str) -> "Node | None":
        """The value of a map's key."""
        if self.kind == MAP:
            for name, value in zip(self.items[::2], self.items[1::2], strict=True):
                if name.text == key and name.kind == SCALAR:
                    return value
        return None


def plain(text: str) -> Node:
    return Node(SCALAR, text)


def quoted(text: str) -> Node:
    return Node(SCALAR, text, '"')


def sequence(*items: Node, flow: bool = False) -> Node:
    return Node(LIST, items=[*items], flow=flow)


def mapping(*items: Node, flow: bool = False) -> Node:
    return Node(MAP, items=[*items], flow=flow)


def of(value: Any) -> Node:
    """The tree of plain data."""
    if isinstance(value, dict):
        return mapping(*(of(one) for pair in value.items() for one in pair))
    if isinstance(value, list):
        return sequence(*map(of, value))
    return quoted(value) if isinstance(value, str) else plain(json.dumps(value))


def walk(node: Node) -> Iterator[tuple[Node, int]]:
    """Every place below: what holds it, and the index in its items."""
    stack = [node]
    while stack:
        holder = stack.pop()
        for index, item in enumerate(holder.items):
            yield holder, index
            if item.items:
                stack.append(item)


def read(text: str) -> list[Node]:
    """The documents of a text. Raises `yaml.YAMLError`."""
    found = yaml.compose_all(text, Loader=yaml.CSafeLoader)
    return [_node(one) for one in found]


def _node(one: yaml.Node) -> Node:
    if isinstance(one, yaml.MappingNode):
        items = [_node(each) for pair in one.value for each in pair]
        return Node(MAP, items=items, flow=bool(one.flow_style))
    if isinstance(one, yaml.SequenceNode):
        return Node(LIST, items=[_node(each) for each in one.value], flow=bool(one.flow_style))
    assert isinstance(one, yaml.ScalarNode)
    style = one.style or ""
    return Node(SCALAR, one.value, {"'": '"', ">": '"'}.get(style, style))


def write(documents: list[Node]) -> str:
    """Documents as YAML, in the styles that they have."""
    parts = []
    for node in documents:
        lines: list[str] = []
        _block(node, "", "", lines)
        parts.append("\n".join(lines) + "\n")
    return "---\n".join(parts)


def write_json(node: Node) -> str:
    """A document as JSON: words in quotes, all else as it stands, be it JSON or not."""
    if node.kind == MAP:
        pairs = zip(node.items[::2], node.items[1::2], strict=True)
        return "{" + ", ".join(f"{_json_key(k)}: {write_json(v)}" for k, v in pairs) + "}"
    if node.kind == LIST:
        return "[" + ", ".join(map(write_json, node.items)) + "]"
    return json.dumps(node.text, ensure_ascii=False) if node.style or _is_word(node) else node.text


def _is_word(node: Node) -> bool:
    """Whether a plain scalar is text to YAML, and no piece of it."""
    tag = _RESOLVER.resolve(yaml.ScalarNode, node.text, (True, False))  # type: ignore[no-untyped-call]
    return tag == "tag:yaml.org,2002:str" and node.text[:1] not in (
        "[",
        "{",
        "&",
        "*",
        "!",
        "'",
        '"',
        "%",
    )


def _json_key(node: Node) -> str:
    return json.dumps(node.text) if node.kind == SCALAR else write_json(node)


def _block(node: Node, lead: str, indent: str, lines: list[str]) -> None:
    """Add the lines of a value; `lead` stands before it on its first line."""
    mark = f"{node.before} " if node.before else ""
    tail = f"  # {node.comment}" if node.comment else ""
    if not node.items or node.flow:
        if node.style == "|" and node.text.strip() and indent and lead:
            _literal(node, f"{lead}{mark}", indent, lines)
            return
        lines.append(f"{lead}{mark}{_inline(node, 0)}{tail}")
        return
    if lead or mark or tail:
        lines.append(f"{lead}{mark}{tail}".rstrip(" "))
    if node.kind == LIST:
        for item in node.items:
            _item(item, indent, lines)
        return
    for key, value in zip(node.items[::2], node.items[1::2], strict=True):
        name = _inline(key, 0)
        if key.before:
            name = f"{key.before} {name}"
        short = key.kind == SCALAR and len(name) < 900
        if not short:
            lines.append(f"{indent}? {name}")
            name = ""
        _block(value, f"{indent}{name}: ", f"{indent}  ", lines)


def _item(node: Node, indent: str, lines: list[str]) -> None:
    """Add an item of a list, its first line beside the dash as people write it."""
    inside = f"{indent}  "
    if not node.items or node.flow or node.before or node.comment:
        _block(node, f"{indent}- ", inside, lines)
        return
    start = len(lines)
    _block(node, "", inside, lines)
    lines[start] = f"{indent}- {lines[start][len(inside) :]}"


def _literal(node: Node, lead: str, indent: str, lines: list[str]) -> None:
    body = node.text.removesuffix("\n")
    ends = "-" if body == node.text else "+" if body.endswith("\n") else ""
    lines.append(f"{lead}|{ends}")
    lines += [f"{indent}{line}" for line in body.split("\n")]


def _inline(node: Node, depth: int) -> str:
    mark = f"{node.before} " if node.before and depth else ""
    if node.kind == MAP:
        pairs = zip(node.items[::2], node.items[1::2], strict=True)
        inner = ", ".join(f"{_inline(k, depth + 1)}: {_inline(v, depth + 1)}" for k, v in pairs)
        return f"{mark}{{{inner}}}"
    if node.kind == LIST:
        return f"{mark}[{', '.join(_inline(each, depth + 1) for each in node.items)}]"
    return mark + (_double(node.text) if node.style else node.text)


def _double(text: str) -> str:
    """A text in double quotes: what YAML does not take as it stands is escaped."""
    made = []
    for one in text:
        code = ord(one)
        if one in _QUOTED:
            made.append("\\" + one)
        elif one == "\n":
            made.append("\\n")
        elif code < 0x20 or 0x7F <= code < 0xA0:
            made.append(f"\\x{code:02x}")
        elif code in (0x2028, 0x2029, 0xFEFF) or 0xD800 <= code < 0xE000:
            made.append(f"\\u{code:04x}")
        else:
            made.append(one)
    return '"' + "".join(made) + '"'
