"""Conversion of fixes by path to text edits, each verified before it is offered."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.fixing.change_edits import edits_of
from gpuspec.lint.fixing.changes import NoFixError, planned
from gpuspec.lint.fixing.document_parts import DocumentPart, parts
from gpuspec.lint.fixing.styled_text import StyledText, holds_json
from gpuspec.lint.fixing.text_edits import EditedText, TextEdit, moved, overlap
from gpuspec.lint.fixing.unsafe_reasons import unsafe_reason
from gpuspec.lint.model import Drop, Edit, TextFix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.lint.model import Change, Fix
    from gpuspec.manifests import Document, Path
    from gpuspec.manifests.positions import Positions


class _OutsideError(Exception):
    """A text edit extends beyond its part."""


def text_fix(document: Document, fix: Fix) -> TextFix | None:
    """Return a fix as text edits of the document's file.

    None if there is nothing to do, or the text does not allow the fix: the text is invalid
    elsewhere, the path does not exist, the text is used in several places (an anchor, a merge key),
    or the edited text does not have exactly the intended values.
    """
    if not document.sound:
        return None
    try:
        text_edits = _proved(document, fix.changes)
    except NoFixError:
        return None
    if not text_edits:
        return None
    edits = tuple(_edit(document, text_edit) for text_edit in text_edits)
    reason = None if fix.safe else unsafe_reason(fix.changes)
    return TextFix(fix.title, fix.safe, edits, reason)


def _proved(document: Document, changes: tuple[Change, ...]) -> Sequence[TextEdit] | None:
    """Return text edits of the document, verified by parsing the smallest part that contains them
    all."""
    doc = written(document)
    for part in parts(doc, _shared([_holder(doc, change, len(changes)) for change in changes])):
        inner = tuple(_at(change, part.inner(change.path)) for change in changes)
        plan, target = planned(part.value(document.value), inner)
        if not plan:
            return None
        try:
            text_edits = _at_once(part, plan, target)
            if text_edits is None and part.begins_in_a_line:
                # What is put in next would be indented from there.
                continue
            return text_edits or _in_turn(part, plan, target)
        except _OutsideError:
            continue
    return None


def _at_once(part: DocumentPart, changes: list[Change], target: object) -> list[TextEdit] | None:
    """Return the edits of all changes to the same text. None if they conflict, or miss the target
    value."""
    # Of what is added at one place, the end of several blocks, the deepest comes first.
    text_edits = [
        text_edit
        for change in sorted(changes, key=lambda change: -len(change.path))
        for text_edit in edits_of(part.doc, _at(change, part.outer(change.path)))
    ]
    if any(text_edit.start < part.start or text_edit.end > part.end for text_edit in text_edits):
        raise _OutsideError
    if overlap(text_edits):
        return None
    patchwork = EditedText(part.text)
    patchwork.apply(moved(text_edits, -part.start))
    return _kept(part, patchwork, target)


def _in_turn(part: DocumentPart, changes: list[Change], target: object) -> list[TextEdit] | None:
    """Return the edits of all changes, each applied after the previous one. None if one is
    impossible."""
    patchwork = EditedText(part.text)
    for change in changes:
        patchwork.apply(edits_of(part.written(patchwork.text), change))
    return _kept(part, patchwork, target)


def _kept(part: DocumentPart, patchwork: EditedText, target: object) -> list[TextEdit] | None:
    """Return the edits of a patched part, if it has the target value."""
    if not part.becomes(patchwork.text, target):
        return None
    return moved(patchwork.text_edits(), part.start)


def _at(change: Change, path: Path) -> Change:
    return msgspec.structs.replace(change, path=path)


def _holder(doc: StyledText, change: Change, most: int) -> Path:
    """Return the collection that contains everything that a change affects. `most`: the largest
    number of entries in it."""
    path = change.path
    if isinstance(change, Drop) and change.emptied:
        slots = doc.found(path)
        while 1 < len(path) <= len(slots) and doc.size(slots[len(path) - 1].parent) <= most:
            path = path[:-1]
    return path[:-1]


def _shared(paths: list[Path]) -> Path:
    """Return the common prefix of some paths."""
    alike = takewhile(lambda steps: steps.count(steps[0]) == len(paths), zip(*paths, strict=False))
    return tuple(steps[0] for steps in alike)


def _edit(document: Document, text_edit: TextEdit) -> Edit:
    start, end = document.place_at(text_edit.start), document.place_at(text_edit.end)
    return Edit(start.line, start.column, end.line, end.column, text_edit.text)


def written(document: Document) -> StyledText:
    """Return the text of a document with its style."""
    return _written(document.positions)


@lru_cache(maxsize=1)
def _written(positions: Positions) -> StyledText:
    """Return the text for a document's positions, cached because the fixes of a document come one
    after the other."""
    text = positions.text
    is_json = holds_json(text)
    reusable = positions if positions.chunk.is_json == is_json else None
    return StyledText(text, is_json=is_json, positions=reusable)
