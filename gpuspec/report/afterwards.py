"""What a render says when it is done: for whom, what it assumed, what must exist, what comes next.

On a terminal it is eight lines at most, whatever was rendered: what does not fit is counted. In a
log or a pipe each sentence is one line, and whole.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import BOLD, CYAN, fold, paint

if TYPE_CHECKING:
    from gpuspec.objects.needed import Needed

NAMED = 3
"""As many workloads are named beside what they share; the others are counted."""
_FIRST = ("API", "Namespace")
"""What all else lies in."""


class Afterwards(msgspec.Struct, frozen=True):
    """What there is to say."""

    profiles: Sequence[tuple[str, str | None]]
    """Name and file of each; None for a built-in one."""
    assumed: Sequence[tuple[str, Sequence[str]]]
    """Sentences, and the workloads that each is about; none where there is one workload alone."""
    needed: Sequence["Needed"]
    next: Sequence[str]
    """What to do, the last first to be left out where there is no room."""


def afterwards_text(
    afterwards: Afterwards, *, width: int | None = None, color: bool = False
) -> str:
    """Return a paragraph for each; none for what there is nothing to say of."""
    paragraphs = (
        _paragraph("profile", _ended(_profiles(afterwards.profiles)), 1, width, color),
        _paragraph("assumed", _ended(_about(*one) for one in afterwards.assumed), 2, width, color),
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
    """Return `head: item; item`, in so many lines at most: what is too much is `counted`, or left
    out.

    Each item ends as it does before another.
    """
    for kept in range(len(items), 0, -1):
        text = visible(" ".join(items[:kept]))
        more = f" {len(items) - kept} more" if counted and kept < len(items) else ""
        lines = fold(f"{head}: {text if more else text[:-1]}{more}", width, "", "  ")
        if len(lines) <= most or kept == 1:
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


def _needs(needed: Iterable["Needed"]) -> list[str]:
    """Return the names behind the first of each kind, with a namespace if there are several."""
    found = sorted(needed, key=_place)
    several = len({one.namespace for one in found if one.namespace}) > 1
    words: list[str] = []
    for kind, group in groupby(found, key=lambda one: one.kind):
        names = [_name(one, several) for one in group]
        names[0] = f"{kind if len(names) == 1 else _plural(kind)} {names[0]}"
        words += [*(f"{name}," for name in names[:-1]), f"{names[-1]};"]
    return words


def _place(needed: "Needed") -> tuple[int, str, str, str]:
    """Return what all else lies in comes first, then what lies in namespaces, then classes."""
    rank = (
        _FIRST.index(needed.kind) if needed.kind in _FIRST else len(_FIRST) + (not needed.namespace)
    )
    return rank, needed.kind, needed.namespace, needed.name


def _name(needed: "Needed", several: bool) -> str:
    where = f"{needed.namespace}/" if several and needed.namespace else ""
    keys = f" ({', '.join(needed.keys)})" if needed.keys else ""
    return f"{where}{needed.name}{keys}"


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"
