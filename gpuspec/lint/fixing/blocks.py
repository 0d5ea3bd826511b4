"""Changes in mappings and lists in block style, as text edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.lint.fixing.layout import block, entry, flow, is_open, like, listed
from gpuspec.lint.fixing.text_edits import TextEdit
from gpuspec.manifests.graph import MappingNode, SequenceNode

if TYPE_CHECKING:
    from gpuspec.lint.fixing.places import Slot
    from gpuspec.lint.fixing.styled_text import StyledText

_CODE = 2
"""The number of blanks after `#` from which a comment is not a sentence."""


def add(
    doc: StyledText, holder: MappingNode | SequenceNode, key: str | None, value: Any
) -> list[TextEdit]:
    """Return edits that append an entry, or an item if there is no key."""
    pad = doc.indent(holder)
    end = doc.end(holder)
    _ends_its_line(doc, end)
    at = doc.line_end(_with_last_comments(doc, end, pad))
    lines = listed(value, pad, doc) if key is None else entry(key, value, pad, doc)
    return [TextEdit(at, at, _lines(doc, ["", *lines]))]


def replace(doc: StyledText, slot: Slot, value: Any) -> list[TextEdit]:
    """Return edits that replace the value in a slot."""
    node = slot.value
    old_flow = doc.is_flow(node) and isinstance(node, MappingNode | SequenceNode) and node.items
    if is_open(value) and not old_flow:
        return _opened(doc, slot, value)
    point, content, end = doc.point(slot), doc.content(node), doc.end(node)
    is_last = not doc.text[end : doc.line_end(end)].strip()
    pad = doc.text_pad(doc.indent(slot.parent)) if is_last else None
    text = flow(value) if is_open(value) else like(value, doc.text[content:end], pad)
    text = _lines(doc, [text])
    if doc.is_empty(node):
        return [TextEdit(point, point, f" {text}")]
    block_style = isinstance(node, MappingNode | SequenceNode) and not doc.is_flow(node)
    if block_style and _is_below(doc, point, content):
        _stands_alone(doc, content, end)
        if "\n" in text and doc.text[point:content].strip():
            # A comment stands between: behind a text of several lines it would be one of them.
            text = flow(value)
        return [TextEdit(point, point, f" {text}"), _without(doc, content, end)]
    return [TextEdit(content, end, text)]


def drop(doc: StyledText, slot: Slot) -> list[TextEdit]:
    """Return edits that remove one of several entries or items."""
    parent = slot.parent
    assert isinstance(parent, MappingNode | SequenceNode)
    begin = _begin(doc, slot)
    end = doc.end(slot.value)
    _ends_its_line(doc, end)
    if doc.is_first(begin):
        end = _with_comments(doc, end, doc.column(begin))
        if doc.follows_kept(begin):
            end = _with_blank_lines(doc, end)
        return [_without(doc, begin, end)]
    if slot.index:
        raise NoFixError("an entry behind another one on its line")
    following = doc.skip(end)
    if "#" in doc.text[end:following]:
        # The comments between the two stay; they move up to the dash.
        line = doc.next_line(end)
        following = line + len(doc.text[line:]) - len(doc.text[line:].lstrip())
    return [TextEdit(begin, following, "")]


def _opened(doc: StyledText, slot: Slot, value: Any) -> list[TextEdit]:
    """Return edits that put a nonempty mapping or list in the place of any value except a flow
    collection."""
    node = slot.value
    point, content, end = doc.point(slot), doc.content(node), doc.end(node)
    _ends_its_line(doc, end)
    is_item = slot.key is node
    below = not doc.is_empty(node) and _is_below(doc, point, content)
    if is_item and not below and doc.properties(node) == doc.start(node):
        blank = " " if doc.is_empty(node) else ""
        start = point if blank else content
        # The first line may open a text of several.
        lines = "\n".join(block(value, doc.column(start) + len(blank), doc))
        first, *rest = lines.split("\n")
        last = doc.line_end(end)
        more = [TextEdit(last, last, _lines(doc, ["", *rest]))] if rest else []
        return [TextEdit(start, end, blank + first), *more]
    alike = isinstance(node, MappingNode if isinstance(value, dict) else SequenceNode)
    if below and alike:
        _stands_alone(doc, content, end)
        new = block(value, doc.column(content), doc)
        return [TextEdit(content, _behind(doc, end, new), _lines(doc, new))]
    step = 2 if is_item else doc.step if isinstance(value, dict) else doc.dash_step
    pad = doc.indent(slot.parent) + step
    first, *rest = block(value, pad, doc)
    padded = [f"{' ' * pad}{first}", *rest]
    if below:
        _stands_alone(doc, content, end)
        return [TextEdit(doc.line_start(content), _behind(doc, end, padded), _lines(doc, padded))]
    at = doc.line_end(end)
    return [TextEdit(point, end, ""), TextEdit(at, at, _lines(doc, ["", *padded]))]


def _begin(doc: StyledText, slot: Slot) -> int:
    return doc.dash(slot) if slot.key is slot.value else doc.start(slot.key)


def _is_below(doc: StyledText, point: int, content: int) -> bool:
    """Return whether a value stands on a line below its key or dash."""
    return doc.line_start(content) > doc.line_start(point)


def _behind(doc: StyledText, end: int, lines: list[str]) -> int:
    """Return where the text after new lines begins: a comment after a block scalar would become a
    part of it."""
    return doc.line_end(end) if "\n" in lines[-1] else end


def _ends_its_line(doc: StyledText, end: int) -> None:
    if not doc.is_last(end):
        raise NoFixError("something follows on its line")


def _stands_alone(doc: StyledText, begin: int, end: int) -> None:
    _ends_its_line(doc, end)
    if not doc.is_first(begin):
        raise NoFixError("something stands before it on its line")


def _without(doc: StyledText, begin: int, end: int) -> TextEdit:
    """Return an edit that removes whole lines, from that of one offset to that of another, with one
    line break."""
    start, stop = doc.line_start(begin), doc.next_line(end)
    if stop == doc.line_end(end) and start and not doc.follows_text(start):
        # The last line has no break: the one before it goes, so that there still is none at the end.
        return TextEdit(doc.line_end(start - len(doc.newline)), stop, "")
    return TextEdit(start, stop, "")


def _with_comments(doc: StyledText, end: int, column: int) -> int:
    """Return the end of an entry, including comments in it after its last value."""
    at = doc.next_line(end)
    while at < len(doc.text):
        line = doc.text[at : doc.line_end(at)]
        if line.strip() and not (line.lstrip().startswith("#") and doc.lead(at) > column):
            break
        if line.strip():
            end = doc.line_end(at)
        at = doc.next_line(at)
    return end


def _with_last_comments(doc: StyledText, end: int, pad: int) -> int:
    """Return the end of a collection, including the comments directly below that belong to its
    content.

    Comments indented like its entries belong to it too, unless the following node has the same
    indentation: items may be indented like the key of their list, and like the next entry.
    """
    following = doc.skip(doc.next_line(end))
    ends = following >= len(doc.text)
    least = pad if ends or doc.column(following) < pad else pad + 1
    at = doc.next_line(end)
    while at < len(doc.text):
        line = doc.text[at : doc.line_end(at)]
        if not line.lstrip().startswith("#") or _depth(line) < max(least, 1):
            break
        end = doc.line_end(at)
        at = doc.next_line(at)
    return end


def _depth(comment: str) -> int:
    """Return the column of a comment's line; for YAML that is commented out in the first column,
    that of the YAML."""
    lead = len(comment) - len(comment.lstrip())
    text = comment[lead + 1 :]
    blanks = len(text) - len(text.lstrip(" "))
    return lead if blanks < _CODE else lead + 1 + blanks


def _with_blank_lines(doc: StyledText, end: int) -> int:
    while (at := doc.next_line(end)) < len(doc.text) and not doc.text[
        at : doc.line_end(at)
    ].strip():
        end = doc.line_end(at)
    return end


def _lines(doc: StyledText, lines: list[str]) -> str:
    return "\n".join(lines).replace("\n", doc.newline)
