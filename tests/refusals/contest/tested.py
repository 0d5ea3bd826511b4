"""What Kubernetes' own tests validate, in the place of mutants: nothing of it is wrong on our account."""

import json
from functools import cache

from tests.refusals.contest.bases import Base
from tests.refusals.contest.mutants import Mutant
from tests.refusals.contest.scoring import Ours, Outcome, outcomes
from tests.refusals.judge import kinds
from tests.refusals.recorded import recorded


@cache
def objects() -> tuple[Mutant, ...]:
    """Every object of a kind that a server has, by number, and for a mutation the sort of tests."""
    served = {(one.api_version, one.kind) for one in kinds()}
    found: list[Mutant] = []
    for one in recorded():
        kind = {field: one.object[field] for field in ("apiVersion", "kind")}
        base = Base(one.test, kind)
        if base.kind in served:
            tests = "/".join(one.test.split("/")[:2])
            found.append(
                Mutant(len(found), base, tests, (), json.dumps(one.object, separators=(",", ":")))
            )
    return tuple(found)


def judged(numbers: range) -> list[Outcome]:
    """What both say of those of some numbers."""
    return outcomes((objects()[number] for number in numbers), before=_nothing)


def _nothing(_: Base) -> frozenset[Ours]:
    return frozenset()
