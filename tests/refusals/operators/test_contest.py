"""What comes of mutants of operators' kinds does not get worse."""

import json

import pytest

from tests.refusals.contest.table import lines
from tests.refusals.operators.conftest import Judge
from tests.refusals.operators.contest import mutant, run

FEW = 1500
FOUND, ALARMS = 0.98, 0.001
"""Of what operators refuse of the first few mutants, how much the linter says at least; of what they take,
how much the linter says is refused, at most."""


def test_a_number_tells_a_mutant_of_any_kind() -> None:
    made = [mutant(5, number) for number in range(400)]
    assert made == [mutant(5, number) for number in range(400)]
    assert len({one.base.kind for one in made}) > 12
    assert all(json.loads(one.text) != one.base.value for one in made)


@pytest.mark.binaries
def test_a_small_contest(judge: Judge) -> None:
    data = run(1, FEW).as_data(1, 20)
    text, total = "\n".join(lines(data)), data["kinds"]["all"]
    assert total["refused"] > FEW * 0.1, text
    assert total["found"] >= FOUND * total["refused"], text
    assert total["alarming"] <= ALARMS * total["taken"], text
