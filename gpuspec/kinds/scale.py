"""A number of pods or groups, between the minimum and the maximum of an autoscaler."""

from __future__ import annotations

import msgspec

from gpuspec.numbers import INT32


class Scale(msgspec.Struct, frozen=True):
    """A range of numbers; `most` is None without an upper bound."""

    least: int
    most: int | None
    by: str | None = None
    """The autoscaler; None if the number is fixed."""

    def times(self, number: int) -> Scale:
        """Return the product of two scales."""
        most = None if self.most is None else self.most * number
        return Scale(self.least * number, most, self.by)


def between(least: object, most: object, by: str) -> Scale:
    """Return the scale from the least to the most, as written; `most` is None without a bound."""
    bottom = number(least, 0)
    return Scale(bottom, None if most is None else max(number(most, bottom), bottom), by)


def number(value: object, default: int) -> int:
    """Return a number of replicas as written; the default for any other value."""
    if isinstance(value, int) and not isinstance(value, bool):
        return bounded(value)
    return default


def bounded(count: int) -> int:
    """Return the nearest number of replicas that an API accepts."""
    return min(max(count, 0), INT32)
