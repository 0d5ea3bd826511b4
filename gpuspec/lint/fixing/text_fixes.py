"""From a fix in paths to text edits of the text, each proved before it is offered."""

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
    """A text edit reaches beyond the part that it was made for."""


def text_fix(document: Document, fix: Fix) -> TextFix | None:
    """Return a fix as text edits of the file that the document stands in.

    None where there is nothing to do, and where the text does not allow it: it is wrong elsewhere,
    the path is not there, the text stands for several places (an anchor, a merge key), or what the
    text edits make is not, value for value, what the fix says.
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
    """Return text edits of the document, proved by reading the smallest part that holds them
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
    """Return all changes in the one text. None where they are in each other's way, or do not come
    to what is wanted."""
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
    """Return each change in the text that the one before has made. None where no text edit will
    do."""
    patchwork = EditedText(part.text)
    for change in changes:
        patchwork.apply(edits_of(part.written(patchwork.text), change))
    return _kept(part, patchwork, target)


def _kept(part: DocumentPart, patchwork: EditedText, target: object) -> list[TextEdit] | None:
    """Return what makes the part so, if it then is what is wanted."""
    if not part.becomes(patchwork.text, target):
        return None
    return moved(patchwork.text_edits(), part.start)


def _at(change: Change, path: Path) -> Change:
    return msgspec.structs.replace(change, path=path)


def _holder(doc: StyledText, change: Change, most: int) -> Path:
    """Return what holds all that a change is made to. `most`: entries that go with it, at most."""
    path = change.path
    if isinstance(change, Drop) and change.emptied:
        slots = doc.found(path)
        while 1 < len(path) <= len(slots) and doc.size(slots[len(path) - 1].parent) <= most:
            path = path[:-1]
    return path[:-1]


def _shared(paths: list[Path]) -> Path:
    """Return the steps that all of some paths begin with."""
    alike = takewhile(lambda steps: steps.count(steps[0]) == len(paths), zip(*paths, strict=False))
    return tuple(steps[0] for steps in alike)


def _edit(document: Document, text_edit: TextEdit) -> Edit:
    start, end = document.place_at(text_edit.start), document.place_at(text_edit.end)
    return Edit(start.line, start.column, end.line, end.column, text_edit.text)


def written(document: Document) -> StyledText:
    """Return a document as it is written."""
    return _written(document.positions)


@lru_cache(maxsize=1)
def _written(positions: Positions) -> StyledText:
    """Return the fixes of a document come one after the other."""
    text = positions.text
    is_json = holds_json(text)
    reusable = positions if positions.chunk.is_json == is_json else None
    return StyledText(text, is_json=is_json, positions=reusable)
