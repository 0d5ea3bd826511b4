"""The summary after a render: profiles, assumptions, required objects, next steps.

On a terminal it has eight lines at most; items that do not fit are counted. In a log or a pipe each
sentence is one whole line.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import BOLD, CYAN, fold, paint

if TYPE_CHECKING:
    from gpuspec.objects.needed import RequiredObject

NAMED = 3
"""The most workloads named for one sentence; the others are counted."""
_FIRST = ("API", "Namespace")
"""Kinds that contain all others."""


class Afterwards(msgspec.Struct, frozen=True):
    """The contents of the summary."""

    profiles: Sequence[tuple[str, str | None]]
    """Name and file of each profile; None for a built-in one."""
    assumed: Sequence[tuple[str, Sequence[str]]]
    """Sentences, each with its workloads; without workloads if there is only one."""
    needed: Sequence["RequiredObject"]
    next: Sequence[str]
    """The next steps; the last one is dropped first if space is short."""


def afterwards_text(
    afterwards: Afterwards, *, width: int | None = None, color: bool = False
) -> str:
    """Return a paragraph for each non-empty part."""
    paragraphs = (
        _paragraph("profile", _ended(_profiles(afterwards.profiles)), 1, width, color),
        _paragraph(
            "assumed",
            _ended(_about(*assumption) for assumption in afterwards.assumed),
            2,
            width,
            color,
        ),
        _paragraph("must exist", _needs(afterwards.needed), 3, width, color),
        _paragraph("next", _ended(afterwards.next), 2, width, color, counted=False),
    )
    return "".join(f"{line}\n" for lines in paragraphs for line in lines)


def _paragraph(
    head: str,
    items: Sequence[str],
    most: int,
    width: int | None,
    color: bool,
    *,
    counted: bool = True,
) -> list[str]:
    """Return `head: item; item` in at most `most` lines; surplus items are counted or left out.

    Each item ends like the others.
    """
    for shown_count in range(len(items), 0, -1):
        text = visible(" ".join(items[:shown_count]))
        more = f" {len(items) - shown_count} more" if counted and shown_count < len(items) else ""
        lines = fold(f"{head}: {text if more else text[:-1]}{more}", width, "", "  ")
        if len(lines) <= most or shown_count == 1:
            return [paint(f"{head}:", BOLD, CYAN, on=color) + lines[0][len(head) + 1 :], *lines[1:]]
    return []


def _ended(items: Iterable[str]) -> list[str]:
    return [f"{item};" for item in items]


def _profiles(profiles: Sequence[tuple[str, str | None]]) -> list[str]:
    if len(profiles) == 1 and profiles[0][1] is None:
        name = profiles[0][0]
        return [f"{name}, built in, without nodes; make your own: gpuspec init cluster-profile"]
    return [f"{name} ({file or 'built in'})" for name, file in profiles]


def _about(text: str, names: Sequence[str]) -> str:
    if not names:
        return text
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{text} ({', '.join(names[:NAMED])}{rest})"


def _needs(needed: Iterable["RequiredObject"]) -> list[str]:
    """Return the first object of each kind with the further names, with a namespace if there are
    several."""
    ordered = sorted(needed, key=_place)
    several = len({need.namespace for need in ordered if need.namespace}) > 1
    words: list[str] = []
    for kind, group in groupby(ordered, key=lambda need: need.kind):
        names = [_name(need, several) for need in group]
        names[0] = f"{kind if len(names) == 1 else _plural(kind)} {names[0]}"
        words += [*(f"{name}," for name in names[:-1]), f"{names[-1]};"]
    return words


def _place(needed: "RequiredObject") -> tuple[int, str, str, str]:
    """Return a sort key: containing kinds first, then namespaced objects, then classes."""
    rank = (
        _FIRST.index(needed.kind) if needed.kind in _FIRST else len(_FIRST) + (not needed.namespace)
    )
    return rank, needed.kind, needed.namespace, needed.name


def _name(needed: "RequiredObject", several: bool) -> str:
    where = f"{needed.namespace}/" if several and needed.namespace else ""
    keys = f" ({', '.join(needed.keys)})" if needed.keys else ""
    return f"{where}{needed.name}{keys}"


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"
