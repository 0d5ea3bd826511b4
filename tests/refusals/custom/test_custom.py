"""Of custom objects the linter refuses what a server refuses, and takes what it takes."""

from collections import Counter

import pytest

from tests.conftest import Tool
from tests.outside import CRDS
from tests.refusals.custom.definitions import definitions
from tests.refusals.custom.scoring import outcomes, table
from tests.refusals.custom.walking import Judge, walk
from tests.validation.conftest import no_operators, plain_cases

FOUND = 0.98
"""Of what the judge refuses by a schema, how much the linter refuses at least. Of rules it misses none."""


@pytest.mark.binaries
@pytest.mark.outside(CRDS)
def test_a_walk_through_custom_objects(tool: Tool) -> None:
    judge = Judge(str(tool("crd-judge")))
    starts = [(one, plain_cases()[one.kind]) for one in definitions()]
    try:
        with no_operators():
            rows = table(outcomes(walk(judge, starts, seed=1, rounds=3, each=10)))
    finally:
        judge.close()
    whole: Counter[str] = Counter()
    for row in rows.values():
        whole += row
    assert whole["taken found"] == 0
    assert whole["rules found"] == whole["rules"] > 50
    assert whole["schema found"] >= FOUND * whole["schema"]
    assert whole["broken"] > 20
