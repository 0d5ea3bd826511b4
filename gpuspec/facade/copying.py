"""Work in forked copies of this process, if there are processors for them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.copies import Copy, Numbers, can_copy, processors, while_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST = 4
"""The most processes, since each has memory of its own."""


def each(work: Callable[[int], list[int]], numbers: range) -> list[list[int]]:
    """Call a function with each number, as `map` does. Work that a copy did not finish is done in
    this process."""
    count = min(processors(), MOST, len(numbers))
    if count < 2 or len(numbers) > Numbers.MOST or not can_copy():
        return [work(number) for number in numbers]
    remaining = Numbers(len(numbers))

    def some(indices: Iterable[int]) -> dict[int, list[int]]:
        return {at: work(numbers[at]) for at in indices}

    copies: list[Copy] = []
    try:
        # Where there is no room for one more process, the others do its work.
        with suppress(OSError):
            for _ in range(1, count):
                copies.append(Copy(lambda: msgspec.json.encode(some(while_wanted(remaining)))))  # noqa: PERF401 # keeps those there are
        results = some(remaining)
        for copy in copies:
            answer = copy.result()
            if answer is not None:
                results |= msgspec.json.decode(answer, type=dict[int, list[int]])
    finally:
        remaining.close()
        for copy in copies:
            copy.end()
    return [results[at] if at in results else work(number) for at, number in enumerate(numbers)]
