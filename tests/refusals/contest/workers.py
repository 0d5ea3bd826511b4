"""Many mutants at once, in processes of their own."""

import multiprocessing
import sys
from collections.abc import Callable, Iterator

from tests.refusals.contest.scoring import Outcome
from tests.refusals.contest.tally import Tally

CHUNK = 500
Judged = Callable[[range], list[Outcome]]
"""What comes of the mutants of some numbers: a function that another process finds by its name."""


def run(judged: Judged, tries: int, jobs: int) -> Tally:
    """What comes of the mutants of the first numbers."""
    total, done = Tally(), 0
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for tally in pool.imap(_chunk, _chunks(judged, tries)):
            total.merge(tally)
            done += CHUNK
            if done % 20_000 == 0:
                print(f"{done} of {tries}", file=sys.stderr, flush=True)
    return total


def _chunks(judged: Judged, tries: int) -> Iterator[tuple[Judged, range]]:
    for start in range(0, tries, CHUNK):
        yield judged, range(start, min(start + CHUNK, tries))


def _chunk(what: tuple[Judged, range]) -> Tally:
    judged, numbers = what
    tally = Tally()
    for outcome in judged(numbers):
        tally.add(outcome)
    return tally
