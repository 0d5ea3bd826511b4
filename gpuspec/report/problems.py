"""Problems, refusals and notes as people read them on stderr."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.plan import Note, Refusal

RED, CYAN, BOLD, RESET = "\x1b[31m", "\x1b[36m", "\x1b[1m", "\x1b[0m"


def problems_text(problems: Iterable[object], *, color: bool = False) -> str:
    """One paragraph for each problem, and their number when there are several."""
    said = [f"{_label('error', RED, color)} {problem}" for problem in problems]
    if len(said) > 1:
        said.append(f"{len(said)} errors")
    return "\n".join(said) + "\n"


def refusals_text(refusals: Iterable["Refusal"], *, color: bool = False) -> str:
    """Why profiles cannot carry workloads."""
    lines: list[str] = []
    for refusal in refusals:
        head = f"profile {refusal.profile} cannot carry {refusal.workload}"
        lines.append(f"{_label('refused', RED, color)} {head}")
        for reason in refusal.reasons:
            where = f"{reason.place}: " if reason.place else ""
            lines.append(f"  {where}{reason.text}")
            if reason.hint:
                lines.append(f"    {reason.hint}")
    return "\n".join(lines) + "\n"


def notes_text(notes: Iterable[tuple[str, "Note"]], *, color: bool = False) -> str:
    """Loud notes, one a line, each with the workload it is about."""
    seen: dict[str, None] = {}
    for name, note in notes:
        if note.loud:
            seen[f"{_label('note', CYAN, color)} {name}: {note.text}"] = None
    return "".join(f"{line}\n" for line in seen)


def _label(word: str, code: str, color: bool) -> str:
    return f"{BOLD}{code}{word}:{RESET}" if color else f"{word}:"
