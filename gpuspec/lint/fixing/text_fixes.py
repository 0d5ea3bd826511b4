"""From a fix in paths to splices of the text, each proved before it is offered."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gpuspec.lint.fixing.changes import NoFixError, planned, same
from gpuspec.lint.fixing.splices import Patchwork, Splice, overlap
from gpuspec.lint.fixing.splicing import splices_of
from gpuspec.lint.fixing.written import Written, holds_json
from gpuspec.lint.model import Edit, TextFix
from gpuspec.manifests import InputError, read

if TYPE_CHECKING:
    from gpuspec.lint.model import Change, Fix
    from gpuspec.manifests import Document


def text_fix(document: Document, fix: Fix) -> TextFix | None:
    """A fix as splices of the file that the document stands in.

    None where there is nothing to do, and where the text does not allow it: the path is not there,
    the text stands for several places (an anchor, a merge key), or what the splices make is not,
    value for value, what the fix says.
    """
    text = document.text
    is_json = holds_json(text)
    try:
        # A document whose rules have run may have let go of its value.
        value = _value(text) if document.value is None else document.value
        changes, wanted = planned(value, fix.changes)
        splices = changes and (
            _at_once(text, is_json, changes, wanted) or _in_turn(text, is_json, changes, wanted)
        )
    except (NoFixError, InputError):
        return None
    if not splices:
        return None
    return TextFix(fix.title, fix.safe, tuple(_edit(document, splice) for splice in splices))


def _at_once(
    text: str, is_json: bool, changes: list[Change], wanted: object
) -> list[Splice] | None:
    """All changes in the one text. None where they are in each other's way."""
    doc = _written(text, is_json)
    patchwork = Patchwork(text)
    splices = [splice for change in changes for splice in splices_of(doc, change)]
    if overlap(splices):
        return None
    patchwork.splice(splices)
    return patchwork.splices() if _is_good(text, patchwork.text, is_json, wanted) else None


def _in_turn(
    text: str, is_json: bool, changes: list[Change], wanted: object
) -> list[Splice] | None:
    """Each change in the text that the one before has made. None where no splice will do."""
    patchwork = Patchwork(text)
    for change in changes:
        patchwork.splice(splices_of(Written(patchwork.text, is_json=is_json), change))
    return patchwork.splices() if _is_good(text, patchwork.text, is_json, wanted) else None


def _is_good(text: str, new: str, is_json: bool, wanted: object) -> bool:
    """Whether a new text reads as what is wanted, and as what it was: JSON, and a whole document
    before the separator behind it."""
    try:
        value = _value(new)
    except (NoFixError, InputError):
        return False
    return same(value, wanted) and _has_end(new) >= _has_end(text) and holds_json(new) >= is_json


def _edit(document: Document, splice: Splice) -> Edit:
    start, end = document.place_at(splice.start), document.place_at(splice.end)
    return Edit(start.line, start.column, end.line, end.column, splice.text)


@lru_cache(maxsize=1)
def _written(text: str, is_json: bool) -> Written:
    """The fixes of a document come one after the other."""
    return Written(text, is_json=is_json)


def _value(text: str) -> object:
    """The value of the one document in a text."""
    documents = read(text, "")
    if len(documents) != 1:
        raise NoFixError("not one document")
    return documents[0].value


def _has_end(text: str) -> bool:
    """Whether a line break ends the text."""
    return text.endswith(("\n", "\r"))
