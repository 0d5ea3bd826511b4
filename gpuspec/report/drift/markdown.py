"""Drift as a review comment: a short table, with the fields folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.escaping.markdown import code, fenced, paragraph, prose
from gpuspec.report.diff.prose import parts
from gpuspec.report.drift import prose as words
from gpuspec.report.lint.finding_text import in_repository
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from gpuspec.drift import Difference, Drift

_MARKS = {"missing": "🔴", "different": "🟡", "unasked": "🔵"}


def drift_markdown(drift: Drift) -> str:
    """Return a row for each difference; rows that do not fit into a comment are counted."""
    lines = [f"**gpuspec fleet drift**: {prose(words.summary(drift))}"]
    if drift.differences:
        rows = _limited([_row(difference) for difference in drift.differences], MOST // 2)
        lines += ["", "| | What | How it differs |", "|---|---|---|", *rows]
    lines += _folded(drift)
    notes = (*drift.notes, *words.unseen(drift))
    lines += ["", *(f"- {prose(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def _row(difference: Difference) -> str:
    sentences = [prose(words.sentence(remark)) for remark in difference.remarks]
    if difference.fields:
        sentences.append(counted(len(difference.fields), "field"))
    if difference.how == "missing":
        sentences.insert(0, "missing")
    return f"| {_MARKS[difference.how]} | {prose(difference.name)} | {'<br>'.join(sentences)} |"


def _folded(drift: Drift) -> list[str]:
    """Return the fields of objects, folded; empty if there are none."""
    blocks: list[str] = []
    count = omitted = size = 0
    for difference in drift.differences:
        if not difference.fields:
            continue
        where = code(in_repository(difference.where)) if difference.where else ""
        block = "\n".join(
            ["", f"{paragraph(difference.name)} {where}".rstrip(), "", *_fields(difference)]
        )
        size += len(block)
        if size > MOST // 4:
            omitted += 1
            continue
        count += 1
        blocks.append(block)
    if not count and not omitted:
        return []
    more = f", {omitted:,} more omitted as too long" if omitted else ""
    head = f"Fields, {words.LEGEND}: {counted(count, 'object')}{more}"
    return ["", f"<details><summary>{head}</summary>", *blocks, "", "</details>"]


def _fields(difference: Difference) -> list[str]:
    texts: list[str] = []
    for part, lines in parts(difference.fields):
        texts += [f"@@ {part} @@"] if part else []
        texts += (f"{line.sign} {line.text}" for line in lines)
    return fenced(texts, "diff")


def _limited(rows: list[str], most: int) -> list[str]:
    shown: list[str] = []
    size = 0
    for row in rows:
        size += len(row)
        if size > most:
            return [*shown, f"| | … and {len(rows) - len(shown):,} more | |"]
        shown.append(row)
    return shown
