"""Problems, refusals and notes as text on stderr.

`file:line:column` stands first, which editors and terminals show as a link. Lines are folded only
for a terminal: in a log or a pipe a problem is one line, and its hint another.
"""

from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import BOLD, CYAN, RED, fold, paint, whole

if TYPE_CHECKING:
    from gpuspec.plan import Note, Refusal
    from gpuspec.report.frames import PlaceLike, Source

NAMED = 3
"""The most workloads named for a shared note; the others are counted."""


class ProblemLike(Protocol):
    """A problem, its place, and the text to write instead."""

    @property
    def message(self) -> str:
        """The problem."""

    @property
    def place(self) -> "PlaceLike | None":
        """Its place."""

    @property
    def hint(self) -> str | None:
        """The text to write instead."""


def problems_text(
    problems: Iterable[ProblemLike],
    *,
    width: int | None = None,
    color: bool = False,
    source: "Source | None" = None,
) -> str:
    """Return one paragraph for each problem, and their number if there are several.

    On a terminal the line of the problem stands below it, if `source` has the text.
    """
    lines: list[str] = []
    count = 0
    for problem in problems:
        count += 1
        lines += _headed(problem.place, "error", RED, problem.message, width, color)
        lines += _framed(problem.place, source, width, color)
        lines += _indented(problem.hint, 2, width)
    if count > 1:
        lines.append(f"{count} errors")
    return "\n".join(lines) + "\n"


def refusals_text(
    refusals: Iterable["Refusal"],
    wanted: int = 1,
    outcome: str = "nothing was written",
    *,
    width: int | None = None,
    color: bool = False,
    source: "Source | None" = None,
) -> str:
    """Return why workloads cannot run on profiles, with their number if `wanted` is more than one.

    `outcome`: the consequence of a refusal.
    """
    lines: list[str] = []
    count = 0
    for refusal in refusals:
        count += 1
        head = f"{refusal.workload} cannot run on {refusal.profile}"
        # What hangs on one line of the spec is said under it together.
        for place in dict.fromkeys(reason.place for reason in refusal.reasons):
            lines += _headed(place, "refused", RED, head, width, color)
            lines += _framed(place, source, width, color)
            reasons = [reason for reason in refusal.reasons if reason.place == place]
            for reason, after in zip_longest(reasons, reasons[1:]):
                lines += _indented(reason.text, 2, width)
                if after is None or after.hint != reason.hint:
                    lines += _indented(reason.hint, 4, width)
    if wanted > 1:
        lines.append(f"{count} of {wanted} refused" + (outcome and f", {outcome}"))
    return "\n".join(lines) + "\n"


def notes_text(
    notes: Iterable[tuple[str, "Note"]], *, width: int | None = None, color: bool = False
) -> str:
    """Format notes, each once, with their workloads."""
    about: dict[str, list[str]] = {}
    for subject, note in notes:
        subjects = about.setdefault(note.sentence, [])
        if subject not in subjects:
            subjects.append(subject)
    lines: list[str] = []
    for text, subjects in about.items():
        names = ", ".join(subjects[:NAMED])
        if len(subjects) > NAMED:
            names += f" and {len(subjects) - NAMED} more"
        lines += _headed(None, "note", CYAN, f"{names}: {text}", width, color)
    return "".join(f"{line}\n" for line in lines)


def remarks_text(remarks: Iterable[str], *, width: int | None = None, color: bool = False) -> str:
    """Format notes about a whole cluster, one paragraph for each."""
    lines = [line for text in remarks for line in _headed(None, "note", CYAN, text, width, color)]
    return "".join(f"{line}\n" for line in lines)


def _framed(
    place: "PlaceLike | None", source: "Source | None", width: int | None, color: bool
) -> list[str]:
    if place is None or source is None or width is None:
        return []
    from gpuspec.report.frames import frame

    return frame(place, source, width, color)


def _headed(
    place: "PlaceLike | None", label: str, style: str, message: str, width: int | None, color: bool
) -> list[str]:
    """Return `place: label: message`, folded as one paragraph; the place is a link and stays
    whole."""
    where = f"{_where(place)}: " if place is not None else ""
    head = f"{where}{label}:"
    lines = fold(f"{whole(head)} {visible(message)}", width, "", "  ")
    painted = paint(where, BOLD, on=color) + paint(f"{label}:", BOLD, style, on=color)
    return [painted + lines[0].removeprefix(head), *lines[1:]]


def _indented(text: str | None, columns: int, width: int | None) -> list[str]:
    margin = " " * columns
    return [
        line
        for part in (text or "").split("\n")
        if part
        for line in fold(visible(part), width, margin, margin + "  ")
    ]


def _where(place: "PlaceLike") -> str:
    return visible(str(place))
