"""The entries of a picture's legend: only those that are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.states import BEFORE, IDLE, STRANDED, what

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.fleet.fit.result import NodeRow

WORDS = {BEFORE: "in use before", IDLE: "idle", STRANDED: "stranded: idle, no class can use it"}
MOST = 52
"""Workloads with a letter of their own."""


def shown(names: Mapping[int, str], *fleets: Sequence[NodeRow]) -> list[tuple[int, str]]:
    """Return the uses in the rows, each with its name, workloads first.

    Without workloads, GPUs in use have no further entries.
    """
    uses = {
        what(part) for rows in fleets for row in rows for cell in row.cells for part in cell.parts
    }
    works = [(who, names[who]) for who in sorted(uses) if who in names]
    others = sum(who >= MOST for who, _ in works)
    if others:
        works = [*works[: len(works) - others], (MOST, f"{others} more workloads")]
    words = WORDS if names else {**WORDS, BEFORE: "in use"}
    return works + [(who, words[who]) for who in words if who in uses]
