"""What came of many mutants, counted."""

from collections import Counter

from tests.refusals.contest.differences import difference, differences
from tests.refusals.contest.mutants import Mutant
from tests.refusals.contest.patterns import alarm, pattern
from tests.refusals.contest.scoring import Outcome
from tests.refusals.contest.table import Data


class Tally:
    """What came of many mutants."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str], Counter[str]] = {}
        """For each kind and mutation: how many were refused, found, taken, alarming."""
        self.missed: Counter[tuple[str, str]] = Counter()
        self.alarms: Counter[tuple[str, str]] = Counter()
        self.examples: dict[tuple[str, str], int] = {}
        """For each of those two sorts of patterns, the number of one mutant."""
        self.known: Counter[str] = Counter()
        """How many of those not found differ on purpose, of each sort."""

    def add(self, outcome: Outcome) -> None:
        """Count one more."""
        mutant = outcome.mutant
        cell = self.cells.setdefault((mutant.base.row, mutant.mutation), Counter())
        if outcome.verdict.accepted:
            cell.update(taken=1, alarming=bool(outcome.alarms))
        else:
            cell.update(refused=1, found=outcome.found)
            if not outcome.found and (what := difference(outcome)):
                self.known[what] += 1
        # Of one that is found, what else the server says comes of the same fault.
        for key in dict.fromkeys(pattern(said, mutant) for said in outcome.missed):
            if not outcome.found:
                self._count(self.missed, key, mutant)
        for key in dict.fromkeys(alarm(one, mutant) for one in outcome.alarms):
            self._count(self.alarms, key, mutant)

    def merge(self, other: "Tally") -> None:
        """Count all that another counted."""
        for key, cell in other.cells.items():
            self.cells.setdefault(key, Counter()).update(cell)
        self.missed.update(other.missed)
        self.alarms.update(other.alarms)
        self.known.update(other.known)
        self.examples = other.examples | self.examples

    def as_data(self, seed: int | None, patterns: int) -> Data:
        """All of it as plain data, with so many of the patterns. No mutants have no seed."""
        sums = self._sums(0)
        return {
            "seed": seed,
            "tries": sums["all"]["refused"] + sums["all"]["taken"],
            "kinds": sums,
            "mutations": self._sums(1),
            "cells": self._cells(),
            "known": {row.what: self.known[row.what] for row in differences()},
            "missed": self._most(self.missed, patterns),
            "alarms": self._most(self.alarms, patterns),
        }

    def _most(self, counted: Counter[tuple[str, str]], many: int) -> list[Data]:
        return [
            {"count": count, "example": self.examples[key], "field": key[1], "message": key[0]}
            for key, count in counted.most_common(many)
        ]

    def _cells(self) -> dict[str, Data]:
        found: dict[str, Data] = {}
        for (kind, mutation), cell in sorted(self.cells.items()):
            found.setdefault(kind, {})[mutation] = dict(cell)
        return found

    def _sums(self, at: int) -> dict[str, Counter[str]]:
        """The cells of each kind (`at` 0) or of each mutation (`at` 1) together, and of all."""
        total = Counter(dict.fromkeys(("refused", "found", "taken", "alarming"), 0))
        sums = {name: total.copy() for name in sorted({key[at] for key in self.cells})}
        for key, cell in self.cells.items():
            sums[key[at]].update(cell)
            total.update(cell)
        return sums | {"all": total}

    def _count(
        self, counter: Counter[tuple[str, str]], key: tuple[str, str], mutant: Mutant
    ) -> None:
        counter[key] += 1
        self.examples.setdefault(key, mutant.number)
