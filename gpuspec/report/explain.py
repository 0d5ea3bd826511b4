"""`gpuspec explain`: each decision with its reason, as text or JSON."""

import json
import textwrap
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from gpuspec.plan import Decision, Note

BOLD, DIM, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def explain_text(
    title: str,
    decisions: Iterable[Decision],
    notes: Iterable[Note],
    *,
    width: int = 80,
    color: bool = False,
) -> str:
    """Decisions by object. What stands in an earlier object already is counted, not repeated."""
    lines = [_paint(title, BOLD, color)]
    seen: set[tuple[str, str, str]] = set()
    for name, group in groupby(decisions, key=lambda decision: decision.object):
        fresh: list[Decision] = []
        again = 0
        for decision in group:
            key = (_compact(decision.value), decision.reason, decision.origin)
            if key in seen:
                again += 1
            else:
                fresh.append(decision)
            seen.add(key)
        lines += ["", _paint(name, BOLD, color)]
        for decision in fresh:
            lines += _decision(decision, width, color)
        if again:
            lines.append(f"  … and {again} more as above")
    said = list(notes)
    if said:
        lines += ["", _paint("Notes", BOLD, color)]
        for note in said:
            lines += _wrapped(f"{note.text} [{note.origin}]", width, "  - ", "    ")
    return "\n".join(lines) + "\n"


def explain_json(
    workload: str, profile: str, decisions: Iterable[Decision], notes: Iterable[Note]
) -> dict[str, Any]:
    """The same as plain data."""
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
            for d in decisions
        ],
        "notes": [{"text": note.text, "origin": str(note.origin)} for note in notes],
    }


def _decision(decision: Decision, width: int, color: bool) -> list[str]:
    value = _compact(decision.value)
    head = f"  {decision.path}"
    lines = []
    if len(head) + len(value) + 3 <= width:
        lines.append(f"{head} = {value}")
    else:
        lines.append(f"{head} =")
        lines += textwrap.wrap(
            value,
            width,
            initial_indent="      ",
            subsequent_indent="      ",
            break_long_words=True,
            break_on_hyphens=False,
        )
    where = f"{decision.origin}, {decision.place}" if decision.place else decision.origin
    for line in _wrapped(f"{decision.reason} [{where}]", width, "      ", "      "):
        lines.append(_paint(line, DIM, color))
    return lines


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _compact(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _paint(text: str, code: str, color: bool) -> str:
    return f"{code}{text}{RESET}" if color else text
