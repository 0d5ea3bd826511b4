"""Many mutants at once, in processes of their own."""

import multiprocessing
import sys
from collections.abc import Iterator

from tests.refusals.contest.mutants import mutant
from tests.refusals.contest.scoring import outcomes
from tests.refusals.contest.tally import Tally

CHUNK = 500


def run(seed: int, tries: int, jobs: int) -> Tally:
    """What comes of the mutants of the first numbers."""
    total, done = Tally(), 0
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for tally in pool.imap(_chunk, _chunks(seed, tries)):
            total.merge(tally)
            done += CHUNK
            if done % 20_000 == 0:
                print(f"{done} of {tries}", file=sys.stderr, flush=True)
    return total


def _chunks(seed: int, tries: int) -> Iterator[tuple[int, range]]:
    for start in range(0, tries, CHUNK):
        yield seed, range(start, min(start + CHUNK, tries))


def _chunk(what: tuple[int, range]) -> Tally:
    seed, numbers = what
    tally = Tally()
    for outcome in outcomes(mutant(seed, number) for number in numbers):
        tally.add(outcome)
    return tally
