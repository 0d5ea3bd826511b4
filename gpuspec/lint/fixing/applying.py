"""Several fixes in one text, and over and over until nothing is left to fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.fixing.splices import Lines, Patchwork, Splice
from gpuspec.manifests import decode, read_chunk, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gpuspec.lint.model import Finding, TextFix

PASSES = 10
"""How often fixes are looked for anew. A fix makes room for another a few times at most; rules that
undo each other's must not keep a run busy."""
# What may stand between two neighbours: in brackets a comma, else a dash.
_BETWEEN = " \t\r,-"


def fixed(text: str, fixes: Iterable[TextFix]) -> str:
    """The text after as many of its fixes as go together.

    Of fixes in one place, or next to each other, the first is made: the others may no longer be
    right, and are looked for anew in what comes out. Equal fixes are one. A fix after which less
    can be read than before is not made.
    """
    lines = Lines(text)
    taken: list[list[Splice]] = []
    for edits in dict.fromkeys(fix.edits for fix in fixes):
        splices = lines.splices(edits)
        before = (other for some in taken for other in some)
        if not any(_touch(text, one, other) for other in before for one in splices):
            taken.append(splices)
    new = _with(text, taken)
    faults = _faults(text)
    if _faults(new) <= faults:
        return new
    # Each is right by itself, so what is wrong is how they meet.
    kept: list[list[Splice]] = []
    for some in taken:
        if _faults(_with(text, [*kept, some])) <= faults:
            kept.append(some)
    return _with(text, kept)


def settled(
    texts: Mapping[str, str],
    look: Callable[[Mapping[str, str]], Iterable[Finding]],
    *,
    unsafe: bool = False,
) -> dict[str, str]:
    """Files after all fixes, looked into again after each round until nothing changes any more.

    Args:
        texts: By name, as findings name their files.
        look: The findings in these texts.
        unsafe: Make fixes that are not safe too.
    """
    now = dict(texts)
    for _ in range(PASSES):
        fixes: dict[str, list[TextFix]] = {}
        for finding in look(now):
            if finding.fix is not None and (unsafe or finding.fix.safe) and finding.file in now:
                fixes.setdefault(finding.file, []).append(finding.fix)
        after = now | {name: fixed(now[name], some) for name, some in fixes.items()}
        if after == now:
            break
        now = after
    return now


def _with(text: str, some: Iterable[Sequence[Splice]]) -> str:
    patchwork = Patchwork(text)
    patchwork.splice(splice for splices in some for splice in splices)
    return patchwork.text


def _touch(text: str, one: Splice, other: Splice) -> bool:
    """Whether two splices are in one place, or take away neighbours: each leaves a mapping or list
    with something in it, both together might not."""
    first, second = (one, other) if one.start <= other.start else (other, one)
    if second.start <= first.end:
        return True
    if first.text.strip() or second.text.strip():
        return False
    between = text[first.end : second.start].split("\n")
    return not any(line.partition("#")[0].strip(_BETWEEN) for line in between)


def _faults(text: str) -> int:
    """How much of a text cannot be read."""
    chunks, problems = split(decode(text, ""))
    return len(problems) + sum(len(read_chunk(chunk)[1]) for chunk in chunks)
