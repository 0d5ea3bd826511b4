"""Changes in flow mappings and lists, including JSON, as text edits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_escaped
from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.lint.fixing.layout import flow, flow_word, is_open, json_text, like
from gpuspec.lint.fixing.text_edits import TextEdit
from gpuspec.manifests.graph import MappingNode, SequenceNode
from gpuspec.manifests.quoting import double_quote

if TYPE_CHECKING:
    from gpuspec.lint.fixing.places import Slot
    from gpuspec.lint.fixing.styled_text import StyledText
    from gpuspec.manifests.graph import YamlNode


def add(
    doc: StyledText, holder: MappingNode | SequenceNode, key: str | None, value: Any
) -> list[TextEdit]:
    """Return edits that append an entry, or an item if there is no key."""
    if not holder.items:
        return _first(doc, holder, key, value)
    begin = doc.start(holder.items[-2 if isinstance(holder, MappingNode) else -1])
    end = doc.end(holder.items[-1])
    after = doc.skip(end)
    has_comma = doc.text[after : after + 1] == ","
    behind = after + 1 if has_comma else end
    spread = doc.is_first(begin)
    new = _entry(doc, holder, key, value, begin, spread=spread)
    if spread and doc.is_last(behind):
        at = doc.line_end(behind)
        new = f"{doc.newline}{' ' * doc.column(begin)}{new}"
    else:
        at = behind
        new = new if doc.is_json and doc.is_tight else f" {new}"
    if has_comma:
        return [TextEdit(at, at, f"{new},")]
    return [TextEdit(end, end, ","), TextEdit(at, at, new)]


def replace(doc: StyledText, slot: Slot, value: Any) -> list[TextEdit]:
    """Return edits that replace the value in a slot."""
    node = slot.value
    content, end = doc.content(node), doc.end(node)
    if doc.is_json:
        spread = is_open(value) and doc.is_first(doc.start(slot.key))
        return [TextEdit(content, end, json_text(value, doc, content, spread=spread))]
    text = flow(value) if is_open(value) else _scalar(value, doc.text[content:end])
    if doc.is_empty(node):
        point = doc.point(slot)
        return [TextEdit(point, point, f" {text}")]
    return [TextEdit(content, end, text)]


def drop(doc: StyledText, slot: Slot) -> list[TextEdit]:
    """Return edits that remove one of several entries or items."""
    parent = slot.parent
    assert isinstance(parent, MappingNode | SequenceNode)
    begin, end = doc.start(slot.key), doc.end(slot.value)
    width = 2 if isinstance(parent, MappingNode) else 1
    following = parent.items[(slot.index + 1) * width :]
    if following:
        return [_with_comma(doc, begin, end, doc.start(following[0]))]
    comma = _comma(doc, doc.end(parent.items[slot.index * width - 1]))
    after = doc.skip(end)
    has_comma = doc.text[after : after + 1] == ","
    stop = after + 1 if has_comma else end
    if doc.is_first(begin) and doc.is_last(stop):
        start, stop = doc.line_end(doc.line_start(begin) - len(doc.newline)), doc.line_end(stop)
    else:
        start = begin if "#" in doc.text[comma:begin] else comma + 1
    # The comma of the entry before goes unless there was one behind the last one.
    return [*([] if has_comma else [TextEdit(comma, comma + 1, "")]), TextEdit(start, stop, "")]


def empty(doc: StyledText, holder: YamlNode) -> list[TextEdit]:
    """Return edits that leave nothing between the brackets."""
    return [TextEdit(doc.content(holder) + 1, doc.end(holder) - 1, "")]


def _first(doc: StyledText, holder: YamlNode, key: str | None, value: Any) -> list[TextEdit]:
    opening, closing = doc.content(holder), doc.end(holder) - 1
    if doc.text[opening + 1 : closing].strip():
        raise NoFixError("a comment stands between empty brackets")
    if not (doc.is_json and doc.json_step):
        new = _entry(doc, holder, key, value, opening, spread=False)
        return [TextEdit(opening + 1, closing, new)]
    whole = {key: value} if key is not None else [value]
    text = json_text(whole, doc, opening, spread=True)
    return [TextEdit(opening, closing + 1, text)]


def _entry(
    doc: StyledText, holder: YamlNode, key: str | None, value: Any, at: int, *, spread: bool
) -> str:
    if doc.is_json:
        text = json_text(value, doc, at, spread=spread and doc.json_step is not None)
        if key is None:
            return text
        word = json_escaped(json.dumps(key, ensure_ascii=False))
        return f"{word}:{'' if doc.is_tight else ' '}{text}"
    if key is None:
        return flow(value)
    assert isinstance(holder, MappingNode)
    keys = [doc.content(key_node) for key_node, _ in holder.entries()]
    quoted = bool(keys) and all(doc.text[key_node] == '"' for key_node in keys)
    return f"{double_quote(key) if quoted else flow_word(key)}: {flow(value)}"


def _scalar(value: Any, old: str) -> str:
    """Return a scalar or an empty collection in brackets, quoted like the value that it replaces."""
    if not isinstance(value, str) or not old.startswith(("'", '"')):
        return flow(value)
    return like(value, old, None)


def _with_comma(doc: StyledText, begin: int, end: int, following: int) -> TextEdit:
    comma = _comma(doc, end)
    if doc.is_first(begin) and doc.is_last(comma + 1):
        return TextEdit(doc.line_start(begin), doc.next_line(comma + 1), "")
    return TextEdit(begin, comma + 1 if "#" in doc.text[end:following] else following, "")


def _comma(doc: StyledText, end: int) -> int:
    at = doc.skip(end)
    if doc.text[at : at + 1] != ",":
        raise NoFixError("no comma where one must be")
    return at
