"""`gpuspec explain`: each decision with its reason, as text or JSON."""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.ink import BOLD, CYAN, DIM, breakable, fold, paint, whole
from gpuspec.report.sections import DecisionSections, Section, ValueRow, arrange
from gpuspec.report.short import block, short

if TYPE_CHECKING:
    from gpuspec.plan import Explanation, Note

STEP = "  "
COMMENT = "# "
"""The mark before a reason, without which it would look like a part of the value above."""
DIGEST = 12
"""The number of digits shown of a digest."""


def explain_text(
    title: str,
    explanations: "Iterable[Explanation]",
    notes: "Iterable[Note]",
    *,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return decisions by object, then by pod and container, every value with its reason.

    Decisions that all objects share come first, once; digests and versions come last. A value that
    an earlier object has for the same reason is counted instead of repeated.
    """
    page = _ExplainPage(width, color)
    arranged = arrange(explanations)
    page.heading(title)
    _objects(page, arranged)
    note_list = list(notes)
    if note_list:
        page.heading("Notes", gap=True)
        for note in note_list:
            page.reasoned(note.sentence, _source(str(note.origin)), "  - ", "    ")
    if arranged.provenance:
        page.heading("Provenance", gap=True)
        page.listed(arranged.provenance, STEP)
    return guarded("\n".join(page.lines) + "\n", color=color)


def explain_json(
    workload: str, profile: str, explanations: "Iterable[Explanation]", notes: "Iterable[Note]"
) -> dict[str, Any]:
    """Return the decisions as plain data, each with the whole path of its field."""
    return {
        "workload": workload,
        "profile": profile,
        "decisions": [
            {
                "object": d.object,
                "path": d.path,
                "value": d.value,
                "reason": d.reason,
                "origin": d.origin,
                "place": d.place,
            }
            for d in explanations
        ],
        "notes": [{"text": note.sentence, "origin": str(note.origin)} for note in notes],
    }


def _objects(page: "_ExplainPage", arranged: DecisionSections) -> None:
    if arranged.shared:
        page.heading("Every object", gap=True)
        page.rows(arranged.shared, STEP)
    for part in arranged.parts:
        page.heading(part.title, gap=True)
        for section in part.sections:
            if section.title:
                page.section(section)
            page.rows(section.rows, STEP if not section.title else STEP * 2)
        if part.again:
            page.aside(f"… {part.again} more as above")


class _ExplainPage:
    """The lines of the text, at most as wide as the terminal."""

    def __init__(self, width: int, color: bool) -> None:
        self.lines: list[str] = []
        self._width = width
        self._color = color

    def heading(self, text: str, *, gap: bool = False) -> None:
        self.lines += [""] if gap else []
        self.lines.append(paint(visible(text), BOLD, on=self._color))

    def section(self, section: Section) -> None:
        path = paint(visible(section.path), DIM, on=self._color)
        self.lines += ["", f"{STEP}{paint(visible(section.title), BOLD, on=self._color)}  {path}"]

    def aside(self, text: str, margin: str = STEP) -> None:
        self.lines.append(paint(margin + text, DIM, on=self._color))

    def reasoned(self, reason: str, origin: str, first: str, rest: str) -> None:
        """Write a reason and its origin, on one line if it fits."""
        end = f"[{origin}]"
        if len(rest + end) <= self._width:
            end = whole(end)
        self.lines += fold(f"{visible(reason)} {end}".lstrip(), self._width, first, rest)

    def rows(self, rows: list[ValueRow], margin: str) -> None:
        """Write rows; a reason that consecutive rows share is written once."""
        for group, value_rows in groupby(rows, key=lambda row: row.group):
            inner = self._group(group, margin)
            for _, alike in groupby(
                value_rows, key=lambda r: (r.explanation.reason, r.explanation.origin)
            ):
                for row in alike:
                    self._value(row.labels, row.value, inner)
                self._why(row.explanation, inner + STEP + STEP)

    def listed(self, rows: list[ValueRow], margin: str) -> None:
        """Write rows without their reasons, with digests shortened."""
        for group, value_rows in groupby(rows, key=lambda row: row.group):
            inner = self._group(group, margin)
            for row in value_rows:
                self._value(row.labels, _shortened(row.value), inner)

    def _group(self, group: str, margin: str) -> str:
        """Return the heading of a group, and the margin of its rows."""
        if not group:
            return margin
        self.lines.append(f"{margin}{visible(group)}")
        return margin + STEP

    def _value(self, labels: list[str], value: object, margin: str) -> None:
        """Write `label = value`, or the value below the label if it does not fit."""
        names = [visible(label) for label in labels]
        head = f"{margin}{', '.join(names)} ="
        line = short(value)
        if len(head) + len(line) < self._width:
            self.lines.append(f"{self._painted(head)} {line}")
            return
        room = self._width - len(margin)
        *others, last = [breakable(name, room) for name in names]
        text = ", ".join([*others, whole(f"{last} =")])
        folded = fold(text, self._width, margin, margin)
        below = margin + STEP
        self.lines += [self._painted(part) for part in folded]
        self.lines += [below + part for part in block(value, self._width - len(below))]

    def _painted(self, head: str) -> str:
        name = head.removesuffix(" =")
        return paint(name, CYAN, on=self._color) + head[len(name) :]

    def _why(self, explanation: "Explanation", margin: str) -> None:
        before = len(self.lines)
        origin = _origin(explanation.origin, explanation.place)
        mark = f"{margin}{COMMENT}"
        self.reasoned(explanation.reason, origin, mark, mark)
        self.lines[before:] = [paint(line, DIM, on=self._color) for line in self.lines[before:]]


def _origin(origin: str, place: str | None) -> str:
    """Return the origin of a value: a path and its place in a file, or the field whose default it
    is."""
    kind, _, path = origin.partition(" ")
    if place is None:
        return visible(f"default of {path}") if kind == "spec" else _source(origin)
    return visible(f"{path}, {place}" if path else place)


def _source(origin: str) -> str:
    """Return an origin without a place: a path, a table's row, or a derivation."""
    kind, _, name = origin.partition(" ")
    return visible(f"derivation {name}" if kind == "derived" else origin)


def _shortened(value: object) -> object:
    """Shorten a digest to its first digits, which identify it well enough."""
    if isinstance(value, str) and value.startswith("sha256:"):
        return value[: len("sha256:") + DIGEST] + "…"
    return value
