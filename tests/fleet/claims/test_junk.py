"""Slices, classes and claims that hold anything: nothing is raised but what `fit` says of a dump."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gpuspec.cluster.live import live_fleet
from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.status_message import message
from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane.claims_agreement import judged
from tests.control_plane.device_claims import Asking
from tests.fleet.claims.test_recorded import CASES

JUNK: tuple[Any, ...] = (None, "", "x", 0, -1, 1.5, True, [], {}, [None], {"x": None}, "1e400")
OURS = ("ResourceSlice", "DeviceClass", "ResourceClaim")


def spoilt(rng: Random, value: Any, often: float) -> Any:
    """A value with junk in some places."""
    if rng.random() < often:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        return {name: spoilt(rng, one, often) for name, one in value.items()}
    if isinstance(value, list):
        return [spoilt(rng, one, often) for one in value]
    return value


@pytest.mark.parametrize("seed", range(12))
def test_junk_is_passed_over(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    case = deepcopy(CASES[seed % len(CASES)])
    often = rng.choice((0.002, 0.01, 0.05))
    for one in case["live"]["items"]:
        if one["kind"] in OURS:
            one["spec"] = spoilt(rng, one["spec"], often)
            one["status"] = spoilt(rng, one.get("status", {}), often)
    path = tmp_path / "live.json"
    path.write_text(json.dumps(case["live"]))
    snapshot = live_fleet(str(path)).snapshot
    for one in case["pods"][::3]:
        claims = [{**each, "spec": spoilt(rng, each["spec"], often)} for each in one["claims"]]
        try:
            ours = judged("", Asking(one["pod"], claims), case["live"], snapshot, case["version"])
        except AssertionError:
            continue  # nothing is known of a claim
        verdict = feasible(ours.verdict.shape, snapshot)
        assert isinstance(
            message(verdict, preempt(verdict, snapshot), case["version"], snapshot), str
        )
