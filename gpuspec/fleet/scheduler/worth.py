"""The scores of nodes for a pod, make by make."""

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
"""The total of rounding down is below 2.5: equal scores may differ by that much."""


class Worth:
    """The nodes where pods of a shape fit, and their scores."""

    def __init__(self, shape: Shape, policy: Policy) -> None:
        self.shape = shape
        self.policy = policy
        self._limits: dict[Make, Limits | None] = {}
        self._scores: dict[Make, Score] = {}

    def limits(self, make: Make) -> Limits | None:
        """See `Make.limits`; None if the pod does not fit on an empty node."""
        if make not in self._limits:
            amounts = make.limits(self.shape.requests)
            self._limits[make] = amounts if within(amounts, make.nothing) else None
        return self._limits[make]

    def score(self, make: Make) -> Score:
        """See `scorer`."""
        score = self._scores.get(make)
        if score is None:
            score = self._scores[make] = scorer(self.policy, self.shape.requests, make)
        return score

    def ceiling(self, make: Make) -> int:
        """Return an upper bound of the scores of a make.

        With `least-allocated` a node scores highest when empty: apart from rounding, the free part
        of the most used resource counts, twice.
        """
        if self.policy != "least-allocated":
            return _ABOVE
        return self.score(make)(make.nothing, make.nothing) + _ROUNDED
