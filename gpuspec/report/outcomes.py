"""The outcome of rendering workloads for several clusters."""

from collections.abc import Iterable, Sequence

import msgspec

from gpuspec.escaping.characters import visible
from gpuspec.report.columns import columns
from gpuspec.report.ink import DIM, RED, fold, paint

HEADINGS = ("WORKLOAD", "OUTCOME", "PROFILES")


class RenderOutcome(msgspec.Struct, frozen=True):
    """The outcome of one workload on one profile."""

    workload: str
    profile: str
    objects: int = 0
    """The number of rendered objects."""
    reason: str | None = None
    """The first reason why it cannot run on the profile, and the number of further ones."""
    kept: int = 0
    """Files of an earlier run that stay in place."""
    elsewhere: bool = False
    """Whether the workload is for other clusters."""

    @property
    def text(self) -> str:
        """The outcome in a few words."""
        if self.elsewhere:
            return "for other clusters"
        if self.reason is None:
            return f"{self.objects} {'object' if self.objects == 1 else 'objects'}"
        return f"refused, {self.kept} kept" if self.kept else "refused"


def outcomes_text(
    outcomes: Iterable[RenderOutcome], *, width: int | None = None, color: bool = False
) -> str:
    """Return a line for each outcome of a workload, with its profiles, and the reasons below it."""
    by_workload: dict[str, dict[tuple[str, str | None], list[str]]] = {}
    for outcome in outcomes:
        same = by_workload.setdefault(outcome.workload, {})
        same.setdefault((outcome.text, outcome.reason), []).append(outcome.profile)
    rows = [
        ("" if number else visible(name), text, reason, visible(", ".join(profiles)))
        for name, same in by_workload.items()
        for number, ((text, reason), profiles) in enumerate(same.items())
    ]
    sizes = [
        max(columns(cell) for cell in (heading, *(row[at] or "" for row in rows)))
        for at, heading in enumerate(HEADINGS[:2])
    ]
    lines = [paint(_line(HEADINGS, sizes).rstrip(), DIM, on=color)]
    for name, text, reason, profiles in rows:
        head = _line((name, text, ""), sizes)
        first, *rest = fold(profiles, width and max(width - columns(head), 20))
        line = _line((name, text, first), sizes)
        lines.append(paint(line, RED, on=color and reason is not None))
        lines += [" " * columns(head) + more for more in rest]
        if reason is not None:
            margin = " " * (sizes[0] + 4)
            lines += fold(visible(reason), width, margin, margin + "  ")
    return "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str], sizes: Sequence[int]) -> str:
    *padded, last = cells
    return (
        "".join(
            f"{cell}{' ' * (size - columns(cell) + 2)}"
            for cell, size in zip(padded, sizes, strict=True)
        )
        + last
    )
