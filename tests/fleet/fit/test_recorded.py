"""`fit --live` says of pods what kube-scheduler said of them, from a dump and a manifest alone.

The recording is that of `tests/fleet/scheduler`, where our filters are asked directly: here they are
asked as anybody asks them. What is random are the fleets and pods of the control plane's tests.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane import fleets, kinds
from tests.control_plane.public import messages
from tests.fleet.fit.dumps import Asking, dump
from tests.fleet.scheduler.test_recorded import CASES, snapshot

Json = dict[str, Any]
WORLDS, PAIRS = 20, 4


@pytest.mark.parametrize("minor", ["1.35", "1.37"])
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_what_the_scheduler_said(case: Json, minor: str, tmp_path: Path) -> None:
    asking = Asking(tmp_path, dump(case["nodes"], case["running"], minor))
    made = snapshot(case)
    for one in case["pods"]:
        found = asking.about(one["pod"])
        assert found.verdict == ("placed" if one["node"] else "not placed"), one
        if not one["node"]:
            verdict = feasible(fleets.shape_in(one["pod"]), made)
            may_be = messages(verdict, made, minor)
            assert {one["message"][minor], found.message} <= may_be


@pytest.mark.parametrize("number", range(WORLDS))
def test_what_our_filters_say_of_random_fleets(number: int, tmp_path: Path) -> None:
    """The filters agree with the scheduler, as `make agreement` shows: so `fit` has to with them."""
    rng = Random(f"public {number}")
    made = fleets.world(rng, number)
    asking = Asking(tmp_path, dump(made.nodes, made.pods, "1.37"))
    for at, kind in enumerate(rng.sample(sorted(kinds.KINDS), PAIRS)):
        found = fleets.pair(rng, made, kind, f"p{at}")
        for pod in (found.fits, found.kept, found.more) if found else ():
            if pod is None:
                continue
            verdict, said = feasible(fleets.shape_in(pod), made.snapshot), asking.about(pod)
            assert said.verdict == ("placed" if verdict.fits else "not placed"), pod
            if not verdict.fits:
                assert said.message in messages(verdict, made.snapshot, "1.37")
