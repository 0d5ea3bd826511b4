"""What differs, as a comment of a review: a short table, and the fields folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.diff import prose
from gpuspec.report.ink import clean
from gpuspec.report.lint.markdown import MOST, code
from gpuspec.report.lint.markdown import prose as marked
from gpuspec.report.lint.words import counted, encodable, in_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.diff import Change, Diff, Field, Level

_MARKS: dict[Level, str] = {"any": "🔵", "restart": "🟡", "breaking": "🔴"}
_ORDER: tuple[Level, ...] = ("breaking", "restart", "any")


def diff_markdown(found: Diff) -> str:
    """What each object's change comes to, the heaviest first; its fields folded below.

    What is too much for a comment is counted.
    """
    lines = [f"**gpuspec diff**: {_escaped(prose.summary(found))}"]
    if total := prose.totals(found):
        lines += ["", f"In all: {_escaped(total)}"]
    if found.changes:
        ranked = sorted(found.changes, key=lambda one: _ORDER.index(one.level))
        rows = _limited([_row(one) for one in ranked], MOST // 2)
        lines += ["", "| | Object | What it comes to |", "|---|---|---|", *rows]
    lines += _folded(
        "written", [(one.name, one.file or one.old_file, one.fields) for one in found.specs]
    )
    lines += _folded(
        "fields",
        [
            (prose.title(one), one.file or one.old_file, prose.shown(one.fields))
            for one in found.changes
        ],
    )
    lines += [line for note in found.notes for line in ("", f"- {_escaped(note)}")]
    return encodable("\n".join(lines)) + "\n"


def _row(change: Change) -> str:
    said = [
        f"**{_escaped(one.text)}**" if one.alarm else _escaped(one.text)
        for one in prose.remarks(change)
    ]
    count = len(prose.shown(change.fields))
    if change.change in ("added", "removed"):
        said.insert(0, change.change)
    elif not said:
        said.append(counted(count, "field") if count else "changed")
    alarm = change.level == "any" and any(one.alarm for one in change.remarks)
    mark = _MARKS["restart" if alarm else change.level]
    return f"| {mark} | {_escaped(prose.title(change))} | {'<br>'.join(said)} |"


def _folded(what: str, entries: Iterable[tuple[str, str, Sequence[Field]]]) -> list[str]:
    """The fields of objects, folded; nothing where there are none."""
    blocks: list[str] = []
    count = left = size = 0
    for title, file, fields in entries:
        if not fields:
            continue
        block = "\n".join(["", f"{_escaped(title)} {_file(file)}".rstrip(), "", *_fenced(fields)])
        size += len(block)
        if size > MOST // 4:
            left += 1
            continue
        count += 1
        blocks.append(block)
    if not count and not left:
        return []
    more = f", {left:,} more are too long" if left else ""
    said = "As written" if what == "written" else "Fields"
    noun = "spec" if what == "written" else "object"
    head = f"<details><summary>{said}: {counted(count, noun)}{more}</summary>"
    return ["", head, *blocks, "", "</details>"]


def _file(file: str) -> str:
    return code(in_repository(clean(file))) if file else ""


def _fenced(fields: Iterable[Field]) -> list[str]:
    """Fields as a block of code, whatever is in them."""
    made: list[str] = []
    for part, lines in prose.parts(fields):
        if part:
            made.append(f"@@ {clean(part)} @@")
        made += (f"{line.sign} {clean(line.text)}" for line in lines)
    fence = "```"
    while any(fence in line for line in made):
        fence += "`"
    return [f"{fence}diff", *made, fence]


def _limited(rows: list[str], most: int) -> list[str]:
    shown: list[str] = []
    size = 0
    for row in rows:
        size += len(row)
        if size > most:
            return [*shown, f"| | … and {len(rows) - len(shown):,} more | |"]
        shown.append(row)
    return shown


def _escaped(text: str) -> str:
    return marked(clean(text))
