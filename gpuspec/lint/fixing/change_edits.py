"""One change of a document as text edits of its text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_escaped
from gpuspec.lint.fixing import blocks, flows
from gpuspec.lint.fixing.changes import NoFixError, nested
from gpuspec.lint.fixing.layout import flow_word
from gpuspec.lint.fixing.text_edits import TextEdit
from gpuspec.lint.model import Drop, Put
from gpuspec.manifests.graph import MappingNode, ScalarNode, SequenceNode, YamlNode
from gpuspec.manifests.quoting import double_quote, quote

if TYPE_CHECKING:
    from gpuspec.lint.fixing.places import Slot
    from gpuspec.lint.fixing.styled_text import StyledText
    from gpuspec.lint.model import Change, Rename


def edits_of(doc: StyledText, change: Change) -> list[TextEdit]:
    """Return the edits for a change, which must be possible in the document.

    Raises:
        NoFixError: the text is shared, or written in a way that no text edit can serve.
    """
    if isinstance(change, Put):
        return _put(doc, change)
    slots = doc.found(change.path)
    if len(slots) < len(change.path):
        return []
    if isinstance(change, Drop):
        return _drop(doc, slots)
    return _rename(doc, slots[-1], change)


def _put(doc: StyledText, change: Put) -> list[TextEdit]:
    slots = doc.found(change.path)
    rest = change.path[len(slots) :]
    if not rest:
        if change.as_written and _bare(doc, slots[-1].value) != change.value:
            raise NoFixError("it is written in another way")
        return _replace(doc, slots[-1], change.value)
    if change.as_written:
        raise NoFixError("nothing is written there")
    holder = slots[-1].value if slots else doc.root
    if isinstance(holder, ScalarNode):
        return _replace(doc, slots[-1], nested(rest, change.value))
    if not isinstance(holder, MappingNode | SequenceNode) or doc.is_pair(holder):
        raise NoFixError("what is written there stands for several places")
    key, value = rest[0], nested(rest[1:], change.value)
    name = key if isinstance(key, str) else None
    if not doc.is_flow(holder):
        return blocks.add(doc, holder, name, value)
    if not holder.items and slots and _is_block(doc, slots[-1]):
        return blocks.replace(doc, slots[-1], [value] if name is None else {name: value})
    return flows.add(doc, holder, name, value)


def _replace(doc: StyledText, slot: Slot, value: Any) -> list[TextEdit]:
    replace = blocks.replace if _is_block(doc, slot) else flows.replace
    return replace(doc, slot, value)


def _drop(doc: StyledText, slots: list[Slot]) -> list[TextEdit]:
    slot = slots[-1]
    parent = slot.parent
    assert isinstance(parent, MappingNode | SequenceNode)
    if len(parent.items) > (2 if isinstance(parent, MappingNode) else 1):
        return blocks.drop(doc, slot) if _is_block(doc, slot) else flows.drop(doc, slot)
    if doc.is_flow(parent):
        return flows.empty(doc, parent)
    if len(slots) == 1:
        raise NoFixError("nothing would be left of the document")
    return _replace(doc, slots[-2], {} if isinstance(parent, MappingNode) else [])


def _rename(doc: StyledText, slot: Slot, change: Rename) -> list[TextEdit]:
    start, end = doc.content(slot.key), doc.end(slot.key)
    if doc.is_json:
        key = json_escaped(json.dumps(change.key, ensure_ascii=False))
    elif doc.text[start] == '"':
        key = double_quote(change.key)
    else:
        key = quote(change.key) if _is_block(doc, slot) else flow_word(change.key)
    return [TextEdit(start, end, key)]


def _bare(doc: StyledText, node: YamlNode) -> str:
    return doc.text[doc.content(node) : doc.end(node)]


def _is_block(doc: StyledText, slot: Slot) -> bool:
    return not doc.is_flow(slot.parent) and not doc.is_pair(slot.parent)
