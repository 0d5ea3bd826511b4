"""What differs, as a comment of a review: a short table, and the fields folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import code, fenced, paragraph, prose
from gpuspec.report.diff import prose as words
from gpuspec.report.lint.finding_text import counted, in_repository
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.diff import Diff, Field, Level, ObjectChange

_MARKS: dict[Level, str] = {"any": "🔵", "restart": "🟡", "breaking": "🔴"}
_ORDER: tuple[Level, ...] = ("breaking", "restart", "any")


def diff_markdown(diff: Diff) -> str:
    """Return what each object's change comes to, the heaviest first; its fields folded below.

    What is too much for a comment is counted.
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
    said = [
        f"**{prose(remark.text)}**" if remark.alarm else prose(remark.text)
        for remark in words.remarks(change)
    ]
    count = len(words.shown(change.fields))
    if change.change in ("added", "removed"):
        said.insert(0, change.change)
    elif not said:
        said.append(counted(count, "field") if count else "changed")
    alarm = change.level == "any" and any(remark.alarm for remark in change.remarks)
    mark = _MARKS["restart" if alarm else change.level]
    return f"| {mark} | {prose(words.title(change))} | {'<br>'.join(said)} |"


def _folded(what: str, entries: Iterable[tuple[str, str, Sequence[Field]]]) -> list[str]:
    """Return the fields of objects, folded; nothing where there are none."""
    blocks: list[str] = []
    count = left = size = 0
    for title, file, fields in entries:
        if not fields:
            continue
        block = "\n".join(["", f"{paragraph(title)} {_file(file)}".rstrip(), "", *_fenced(fields)])
        size += len(block)
        if size > MOST // 4:
            left += 1
            continue
        count += 1
        blocks.append(block)
    if not count and not left:
        return []
    more = f", {left:,} more omitted as too long" if left else ""
    heading = "As written" if what == "written" else "Fields"
    noun = "spec" if what == "written" else "object"
    head = f"<details><summary>{heading}: {counted(count, noun)}{more}</summary>"
    return ["", head, *blocks, "", "</details>"]


def _file(file: str) -> str:
    return code(in_repository(file)) if file else ""


def _fenced(fields: Iterable[Field]) -> list[str]:
    """Return fields as a block of code."""
    made: list[str] = []
    for part, lines in words.parts(fields):
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
