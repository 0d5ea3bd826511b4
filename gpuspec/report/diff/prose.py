"""Shared text of the formats for people: titles, totals, fields as lines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.diff import amount_text
from gpuspec.enumeration import counted
from gpuspec.report.short import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.diff import ChangeRemark, Diff, Field, ObjectChange

ARROW = " → "
CUT = 160
"""The most characters shown of a value; JSON has the whole value."""
LINES = 20
"""The most changed lines shown of a text."""
_WORDS = ("changed", "renamed", "retargeted", "added", "removed")

Sign = Literal["+", "-", " "]


class FieldLine(msgspec.Struct, frozen=True):
    """A field, or a line of one; `+` and `-` mark lines of one side only."""

    sign: Sign
    text: str


def title(change: ObjectChange) -> str:
    """Return `Deployment serving/chat`, with the old title if it differs."""
    was = change.was
    if was is None or str(was) == str(change.object):
        return str(change.object)
    same = was.kind == change.object.kind
    before = str(was).partition(" ")[2] if same else str(was)
    return f"{change.object}, was {before}"


def remarks(change: ObjectChange) -> list[ChangeRemark]:
    """Return the remarks with the effect of the change first."""
    last = [remark for remark in change.remarks if remark.about in ("effect", "data")]
    return [*last, *(remark for remark in change.remarks if remark not in last)]


def shown(fields: Iterable[Field]) -> list[Field]:
    """Return the visible fields, without provenance."""
    return [field for field in fields if not field.provenance]


def parts(fields: Iterable[Field]) -> Iterator[tuple[str, list[FieldLine]]]:
    """Yield the fields of each part of an object, as lines."""
    ordered = [*fields]
    names = list(dict.fromkeys(field.part for field in ordered))
    ordered.sort(key=lambda field: names.index(field.part))
    for part, group in groupby(ordered, key=lambda field: field.part):
        yield part, [line for field in group for line in lines(field)]


def lines(field: Field) -> list[FieldLine]:
    """Return a field as one line, or as the differing lines of a long text."""
    name = field.name or field.path
    if field.hidden:
        return [FieldLine(_sign(field), f"{name}: {field.change}, value hidden")]
    if field.change == "reordered":
        order = ARROW.join(_cut(", ".join(names)) for names in (field.old, field.new))
        return [FieldLine(" ", f"{name}: reordered: {order}")]
    if field.change != "changed":
        value = field.new if field.change == "added" else field.old
        return [FieldLine(_sign(field), f"{name}: {_value(value)}")]
    if _is_long(field.old) or _is_long(field.new):
        return [FieldLine(" ", f"{name}:"), *_text(str(field.old), str(field.new))]
    return [FieldLine(" ", f"{name}: {_value(field.old)}{ARROW}{_value(field.new)}")]


def origin(change: ObjectChange) -> str | None:
    """Return the sentence on differing provenance annotations; None if none differs."""
    count = sum(field.provenance for field in change.fields)
    return f"and {counted(count, 'provenance annotation')}" if count else None


def summary(diff: Diff) -> str:
    """Return `2 changed, 1 added; 3 differ only in provenance; 12 alike`."""
    kinds = [change.change for change in diff.changes]
    parts = [", ".join(f"{kinds.count(word)} {word}" for word in _WORDS if word in kinds)]
    if not kinds:
        parts = ["no object differs" if diff.level else "no differences"]
    if diff.specs:
        parts.append(f"{counted(len(diff.specs), 'spec')} changed")
    if count := len(diff.origins):
        parts.append(f"{count} {'differs' if count == 1 else 'differ'} only in provenance")
    if diff.alike:
        parts.append(f"{diff.alike} alike")
    return "; ".join(parts)


def totals(diff: Diff) -> str:
    """Return `GPUs 8 → 24 (+16), CPU 32 → 64 (+32)`; empty if no total differs."""
    names = [amount_text.resource(total.resource) for total in diff.totals]

    def named(name: str) -> str:
        word = amount_text.resource(name)
        return f"{word} ({name})" if names.count(word) > 1 else word

    return ", ".join(
        f"{named(total.resource)} {amount_text.span(total.resource, total.old)}{ARROW}"
        f"{amount_text.span(total.resource, total.new)}{_gap(total.resource, total)}"
        for total in diff.totals
    )


def _gap(name: str, total: Any) -> str:
    gap = amount_text.gap(name, total.old, total.new)
    return f" ({gap})" if gap else ""


def _sign(field: Field) -> Sign:
    return "+" if field.change == "added" else "-" if field.change == "removed" else " "


def _value(value: Any) -> str:
    return _cut(short(value))


def _cut(text: str) -> str:
    return text if len(text) <= CUT else f"{text[: CUT - 1]}…"


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value.strip("\n")


def _text(old: str, new: str) -> list[FieldLine]:
    """Return the differing lines of a text, and the number of hidden ones."""
    from difflib import SequenceMatcher

    before, after = (text.removesuffix("\n").split("\n") for text in (old, new))
    changed: list[FieldLine] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            changed += (FieldLine("-", _cut(f"  {line}")) for line in before[a:b])
            changed += (FieldLine("+", _cut(f"  {line}")) for line in after[c:d])
    if not changed:
        return [FieldLine(" ", "  only the final newline differs")]
    rest = len(changed) - LINES
    return [
        *changed[:LINES],
        *([FieldLine(" ", f"  and {counted(rest, 'more line')}")] if rest > 0 else []),
    ]
