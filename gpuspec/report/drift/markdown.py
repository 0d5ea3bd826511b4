"""What is said and is not so, as a comment: a short table, and the fields folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import code, fenced, paragraph, prose
from gpuspec.report.diff.prose import parts
from gpuspec.report.drift import prose as words
from gpuspec.report.lint.finding_text import counted, in_repository
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from gpuspec.drift import Difference, Drift

_MARKS = {"missing": "🔴", "different": "🟡", "unasked": "🔵"}


def drift_markdown(found: Drift) -> str:
    """Return a row for each thing that differs; what is too much for a comment is counted."""
    lines = [f"**gpuspec fleet drift**: {prose(words.summary(found))}"]
    if found.differences:
        rows = _limited([_row(one) for one in found.differences], MOST // 2)
        lines += ["", "| | What | How it differs |", "|---|---|---|", *rows]
    lines += _folded(found)
    notes = (*found.notes, *words.unseen(found))
    lines += ["", *(f"- {prose(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def _row(one: Difference) -> str:
    said = [prose(words.sentence(remark)) for remark in one.remarks]
    if one.fields:
        said.append(counted(len(one.fields), "field"))
    if one.how == "missing":
        said.insert(0, "missing")
    return f"| {_MARKS[one.how]} | {prose(one.name)} | {'<br>'.join(said)} |"


def _folded(found: Drift) -> list[str]:
    """Return the fields of objects, folded; nothing where there are none."""
    blocks: list[str] = []
    count = left = size = 0
    for one in found.differences:
        if not one.fields:
            continue
        where = code(in_repository(one.where)) if one.where else ""
        block = "\n".join(["", f"{paragraph(one.name)} {where}".rstrip(), "", *_fields(one)])
        size += len(block)
        if size > MOST // 4:
            left += 1
            continue
        count += 1
        blocks.append(block)
    if not count and not left:
        return []
    more = f", {left:,} more are too long" if left else ""
    head = f"Fields, {words.LEGEND}: {counted(count, 'object')}{more}"
    return ["", f"<details><summary>{head}</summary>", *blocks, "", "</details>"]


def _fields(one: Difference) -> list[str]:
    made: list[str] = []
    for part, lines in parts(one.fields):
        made += [f"@@ {part} @@"] if part else []
        made += (f"{line.sign} {line.text}" for line in lines)
    return fenced(made, "diff")


def _limited(rows: list[str], most: int) -> list[str]:
    shown: list[str] = []
    size = 0
    for row in rows:
        size += len(row)
        if size > most:
            return [*shown, f"| | … and {len(rows) - len(shown):,} more | |"]
        shown.append(row)
    return shown
