"""The changes of fixes as a patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ALIKE = 8
"""The number of equal lines from which both sides are considered aligned again."""
AROUND = 50
"""The number of equal lines beside a change that are included in its comparison."""
_SHOWN = 3

Opcode = tuple[str, int, int, int, int]
"""An opcode of `difflib`: the operation on lines of one side that gives lines of the other."""


def diff(name: str, before: str, after: str) -> str:
    """Return a unified diff for `git apply` and `patch -p1`; empty if nothing differs.

    Lines keep their ends, so the patch of a file with Windows line ends has them too.
    """
    # Few runs print one.
    from gpuspec.escaping.formats import patch_name

    old, new = _lines(before), _lines(after)
    lines = [line for hunk in _hunks(old, new) for line in hunk]
    if not lines:
        return ""
    # git refuses a path with a step that leads nowhere.
    name = name.removeprefix("./")
    old_name, new_name = (f"{side}/{name}" for side in "ab") if _is_relative(name) else (name, name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in (f"--- {patch_name(old_name)}\n", f"+++ {patch_name(new_name)}\n", *lines)
    )


def _hunks(old: list[str], new: list[str]) -> Iterator[list[str]]:
    # Few runs print one.
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, (), ())  # type: ignore[var-annotated]
    matcher.opcodes = _opcodes(old, new)  # type: ignore[attr-defined]
    for group in matcher.get_grouped_opcodes(_SHOWN):
        _, first, _, second, _ = group[0]
        _, _, last, _, end = group[-1]
        lines = [f"@@ -{_range(first, last)} +{_range(second, end)} @@\n"]
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += (f" {line}" for line in old[i:j])
                continue
            lines += (f"-{line}" for line in old[i:j])
            lines += (f"+{line}" for line in new[k:m])
        yield lines


def _range(start: int, stop: int) -> str:
    size = stop - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    """Return the opcodes. Because `difflib` compares all lines with all, it gets only the
    surroundings of each change."""
    from difflib import SequenceMatcher

    opcodes: list[Opcode] = []
    i = j = 0
    for a, b, c, d in _stretches(old, new):
        if a > i:
            opcodes.append(("equal", i, a, j, c))
        inner = SequenceMatcher(None, old[a:b], new[c:d]).get_opcodes()
        opcodes += ((tag, e + a, f + a, g + c, h + c) for tag, e, f, g, h in inner)
        i, j = b, d
    if i < len(old):
        opcodes.append(("equal", i, len(old), j, len(new)))
    return list(_joined(opcodes))


def _joined(opcodes: list[Opcode]) -> Iterator[Opcode]:
    """Yield opcodes, with equal neighbours merged."""
    at: Opcode | None = None
    for opcode in opcodes:
        if at is not None and at[0] == opcode[0]:
            at = (at[0], at[1], opcode[2], at[3], opcode[4])
            continue
        if at is not None:
            yield at
        at = opcode
    if at is not None:
        yield at


def _stretches(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the differing lines of both sides, with some equal lines around them."""
    gaps = list(_gaps(old, new))
    before = 0
    for number, (a, b, c, d) in enumerate(gaps):
        # What lies between two changes is halved.
        lead = min((a - before) // (2 if number else 1), AROUND)
        following = gaps[number + 1][0] if number + 1 < len(gaps) else None
        tail = len(old) - b if following is None else (following - b) // 2
        tail = min(tail, AROUND)
        yield a - lead, b + tail, c - lead, d + tail
        before = b


def _gaps(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the differing ranges: the first and last line of each side, from 0."""
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        more, others = _together(old, new, i, j)
        yield i, i + more, j, j + others
        i, j = i + more, j + others


def _together(old: list[str], new: list[str], i: int, j: int) -> tuple[int, int]:
    """Return the number of equal lines that follow on both sides."""
    reach = 2 * ALIKE
    while True:
        positions: dict[tuple[str, ...], int] = {}
        for at in range(reach):
            positions.setdefault(_gram(new, j + at), at)
        best: tuple[int, int] | None = None
        for at in range(reach):
            position = positions.get(_gram(old, i + at))
            if position is not None and (best is None or at + position < sum(best)):
                best = at, position
        if best is not None:
            return min(best[0], len(old) - i), min(best[1], len(new) - j)
        reach *= 2


def _gram(lines: list[str], at: int) -> tuple[str, ...]:
    return tuple(lines[at : at + ALIKE])


def _is_relative(name: str) -> bool:
    return not name.startswith(("/", "<", "..")) and ":" not in name


def _lines(text: str) -> list[str]:
    """Return lines with their ends. Only a line feed ends a line, as in every program that reads
    patches."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]
