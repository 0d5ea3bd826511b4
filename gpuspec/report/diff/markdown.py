"""Differences as a review comment: a short table, with the fields folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.escaping.markdown import code, fenced, paragraph, prose
from gpuspec.report.diff import prose as words
from gpuspec.report.lint.finding_text import in_repository
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.diff import Diff, Field, Level, ObjectChange

_MARKS: dict[Level, str] = {"any": "🔵", "restart": "🟡", "breaking": "🔴"}
_ORDER: tuple[Level, ...] = ("breaking", "restart", "any")


def diff_markdown(diff: Diff) -> str:
    """Return the effect of each object's change, the heaviest first, with its fields folded below.

    Rows that do not fit into a comment are counted.
    """
    lines = [f"**gpuspec diff**: {prose(words.summary(diff))}"]
    if total := words.totals(diff):
        lines += ["", f"Total: {prose(total)}"]
    if diff.changes:
        ranked = sorted(diff.changes, key=lambda change: _ORDER.index(change.level))
        rows = _limited([_row(change) for change in ranked], MOST // 2)
        lines += ["", "| | Object | Effect |", "|---|---|---|", *rows]
    lines += _folded(
        "written", [(spec.name, spec.file or spec.old_file, spec.fields) for spec in diff.specs]
    )
    lines += _folded(
        "fields",
        [
            (words.title(change), change.file or change.old_file, words.shown(change.fields))
            for change in diff.changes
        ],
    )
    lines += [line for note in diff.notes for line in ("", f"- {prose(note)}")]
    return "\n".join(lines) + "\n"


def _row(change: ObjectChange) -> str:
    sentences = [
        f"**{prose(remark.text)}**" if remark.alarm else prose(remark.text)
        for remark in words.remarks(change)
    ]
    count = len(words.shown(change.fields))
    if change.change in ("added", "removed"):
        sentences.insert(0, change.change)
    elif not sentences:
        sentences.append(counted(count, "field") if count else "changed")
    alarm = change.level == "any" and any(remark.alarm for remark in change.remarks)
    mark = _MARKS["restart" if alarm else change.level]
    return f"| {mark} | {prose(words.title(change))} | {'<br>'.join(sentences)} |"


def _folded(aspect: str, entries: Iterable[tuple[str, str, Sequence[Field]]]) -> list[str]:
    """Return the fields of objects, folded; empty if there are none."""
    blocks: list[str] = []
    count = omitted = size = 0
    for title, file, fields in entries:
        if not fields:
            continue
        block = "\n".join(["", f"{paragraph(title)} {_file(file)}".rstrip(), "", *_fenced(fields)])
        size += len(block)
        if size > MOST // 4:
            omitted += 1
            continue
        count += 1
        blocks.append(block)
    if not count and not omitted:
        return []
    more = f", {omitted:,} more omitted as too long" if omitted else ""
    heading = "As written" if aspect == "written" else "Fields"
    noun = "spec" if aspect == "written" else "object"
    head = f"<details><summary>{heading}: {counted(count, noun)}{more}</summary>"
    return ["", head, *blocks, "", "</details>"]


def _file(file: str) -> str:
    return code(in_repository(file)) if file else ""


def _fenced(fields: Iterable[Field]) -> list[str]:
    """Return fields as a code block."""
    texts: list[str] = []
    for part, lines in words.parts(fields):
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
