"""Application of several fixes to a text, repeated until nothing is left to fix."""

from __future__ import annotations

from bisect import bisect_right, insort
from contextlib import suppress
from itertools import chain, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING

from gpuspec.kinds import inner_objects
from gpuspec.lint.fixing.changes import NoFixError
from gpuspec.lint.fixing.text_edits import Lines, TextEdit, moved, with_edits
from gpuspec.lint.fixing.text_fixes import written
from gpuspec.manifests import decode, read_chunk, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gpuspec.lint.model import Finding, TextFix
    from gpuspec.manifests import Chunk

PASSES = 10
"""The maximum number of rounds. A fix enables another one a few times at most; rules that undo each
other's fixes must not run forever."""
# What may stand between two neighbours: in brackets a comma, else a dash.
_BETWEEN = " \t\r,-"
_start = attrgetter("start")


def fixed(text: str, fixes: Iterable[TextFix]) -> str:
    """Return the text after as many compatible fixes as possible.

    Of fixes in one place, or next to each other, only the first is applied: the others may no
    longer be right, and are computed again from the result. Equal fixes count once. A fix that
    makes more of the text unreadable is not applied.
    """
    lines = Lines(text)
    edit_groups = _apart(text, map(lines.text_edits, dict.fromkeys(fix.edits for fix in fixes)))
    new = with_edits(text, chain(*edit_groups))
    if _faults(new) <= _faults(text):
        return new
    # Each is right by itself, so what is wrong is how they meet.
    fitting_edits: list[Sequence[TextEdit]] = []
    for chunk in split(decode(text, ""))[0]:
        some = [edits for edits in edit_groups if chunk.start <= edits[0].start <= chunk.end]
        after = with_edits(chunk.text, moved(chain(*some), -chunk.start))
        fitting_edits += some if _faults(after) <= _faults(chunk.text) else _one_each(chunk, some)
    return with_edits(text, chain(*fitting_edits))


def settled(
    texts: Mapping[str, str],
    look: Callable[[Mapping[str, str]], Iterable[Finding]],
    *,
    unsafe: bool = False,
) -> dict[str, str]:
    """Return files after all fixes, looked into again after each round until nothing changes any
    more.

    Args:
        texts: By name, as findings name their files.
        look: The findings in these texts.
        unsafe: Make fixes that are not safe too.
    """
    now = dict(texts)
    for _ in range(PASSES):
        fixes: dict[str, list[TextFix]] = {}
        for finding in look(now):
            if finding.fix is not None and (unsafe or finding.fix.safe) and finding.file in now:
                fixes.setdefault(finding.file, []).append(finding.fix)
        after = now | {name: fixed(now[name], some) for name, some in fixes.items()}
        if after == now:
            break
        now = after
    return now


def _apart(text: str, fixes: Iterable[Sequence[TextEdit]]) -> list[Sequence[TextEdit]]:
    """Return the fixes that do not touch any fix before them."""
    apart: list[Sequence[TextEdit]] = []
    edits: list[TextEdit] = []
    for text_edits in fixes:
        if text_edits and not any(_meets(text, text_edit, edits) for text_edit in text_edits):
            apart.append(text_edits)
            for text_edit in text_edits:
                insort(edits, text_edit, key=_start)
    return apart


def _meets(text: str, text_edit: TextEdit, edits: Sequence[TextEdit]) -> bool:
    """Return whether a text edit touches any of some sorted, separate edits."""
    at = bisect_right(edits, text_edit.start, key=_start)
    begin, end = _quiet(text, text_edit)
    before = takewhile(
        lambda neighbor: neighbor.end >= begin, map(edits.__getitem__, range(at - 1, -1, -1))
    )
    behind = takewhile(
        lambda neighbor: neighbor.start <= end, map(edits.__getitem__, range(at, len(edits)))
    )
    return any(_touch(text, text_edit, neighbor) for neighbor in chain(before, behind))


def _quiet(text: str, text_edit: TextEdit) -> tuple[int, int]:
    """Return the range within which a text edit can touch another one: it extends over blank lines
    and comments, up to the next lines with content."""
    begin, end = text.rfind("\n", 0, text_edit.start) + 1, text_edit.end
    quiet = _is_between(text[begin : text_edit.start])
    while begin and quiet:
        before = text.rfind("\n", 0, begin - 1) + 1
        quiet, begin = _is_between(text[before : begin - 1]), before
    quiet = True
    while end < len(text) and quiet:
        following = text.find("\n", end)
        following = len(text) if following < 0 else following
        quiet, end = _is_between(text[end:following]), following + 1
    return begin, end


def _one_each(chunk: Chunk, fixes: Iterable[Sequence[TextEdit]]) -> list[Sequence[TextEdit]]:
    """Return the first fix of each object in a chunk, because fixes in different objects cannot
    touch."""
    starts = sorted(chunk.start + start for start in _objects(chunk))
    fixed_objects: set[int] = set()
    edit_groups: list[Sequence[TextEdit]] = []
    for text_edits in fixes:
        objects = {bisect_right(starts, text_edit.start) for text_edit in text_edits}
        if fixed_objects.isdisjoint(objects):
            edit_groups.append(text_edits)
            fixed_objects |= objects
    return edit_groups


def _objects(chunk: Chunk) -> Iterator[int]:
    """Yield the starts of objects in a chunk, including those in a `List`."""
    for document in read_chunk(chunk)[0]:
        base = document.offset - chunk.start
        yield base
        if isinstance(document.value, dict):
            doc = written(document)
            for path, _ in inner_objects(document.value):
                # What an alias stands for is written elsewhere, and is counted to that.
                with suppress(NoFixError):
                    yield base + doc.start(doc.found(path)[-1].value)


def _touch(text: str, text_edit: TextEdit, other_edit: TextEdit) -> bool:
    """Return whether two text edits are in one place, or remove neighbours: both together might
    leave a mapping or list empty."""
    first, second = (
        (text_edit, other_edit) if text_edit.start <= other_edit.start else (other_edit, text_edit)
    )
    if second.start <= first.end:
        return True
    if first.text.strip() or second.text.strip():
        return False
    return all(map(_is_between, text[first.end : second.start].split("\n")))


def _is_between(line: str) -> bool:
    """Return whether a line, or a part of one, has no content."""
    return not line.partition("#")[0].strip(_BETWEEN)


def _faults(text: str) -> int:
    """Return the number of problems in a text."""
    chunks, problems = split(decode(text, ""))
    return len(problems) + sum(len(read_chunk(chunk)[1]) for chunk in chunks)
