"""What nodes are worth to a pod, make by make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.makes import within
from gpuspec.fleet.scheduler.scoring import scorer

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.makes import Limits, Make
    from gpuspec.fleet.scheduler.scoring import Policy, Score
    from gpuspec.fleet.scheduler.shape import Shape

_ABOVE = 1 << 30
"""Above every score."""
_ROUNDED = 2
"""A score is rounded down by less than 2.5 in all: it may be so much less than an equal one."""


class Worth:
    """Where pods of a shape find room, and how they score it."""

    def __init__(self, shape: Shape, policy: Policy) -> None:
        self.shape = shape
        self.policy = policy
        self._limits: dict[Make, Limits | None] = {}
        self._scores: dict[Make, Score] = {}

    def limits(self, make: Make) -> Limits | None:
        """See `Make.limits`; None where there is no room on an empty node."""
        if make not in self._limits:
            found = make.limits(self.shape.requests)
            self._limits[make] = found if within(found, make.nothing) else None
        return self._limits[make]

    def score(self, make: Make) -> Score:
        """See `scorer`."""
        found = self._scores.get(make)
        if found is None:
            found = self._scores[make] = scorer(self.policy, self.shape.requests, make)
        return found

    def ceiling(self, make: Make) -> int:
        """Return a score that no node of a make is above.

        With `least-allocated` no node scores more than while it is empty: but for what is rounded
        it is the part that is left of what is used most that counts, twice.
        """
        if self.policy != "least-allocated":
            return _ABOVE
        return self.score(make)(make.nothing, make.nothing) + _ROUNDED
