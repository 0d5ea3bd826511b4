"""What kube-scheduler itself said of pods on random fleets, recorded from its versions.

`recorded.jsonl` is written by `python -m tests.control_plane.agreement --record`, a fleet to a
line; the same is asked of the running scheduler, about many more, by `make agreement`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane import fleets
from tests.control_plane.public import messages

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("recorded.jsonl").read_text("utf-8").splitlines()
]


def snapshot(case: dict[str, Any]) -> Snapshot:
    made = Snapshot([fleets.as_node(node) for node in case["nodes"]], fleets.SPACES)
    places = {node.name: index for index, node in enumerate(made.nodes)}
    for pod in case["running"]:
        made.add(places[pod["spec"]["nodeName"]], fleets.placed(pod))
    return made


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_we_say_what_the_scheduler_said(case: dict[str, Any]) -> None:
    made = snapshot(case)
    for one in case["pods"]:
        verdict = feasible(fleets.shape_in(one["pod"]), made)
        if one["node"]:
            assert one["node"] in {made.nodes[index].name for index in verdict.nodes}
        else:
            for version, said in one["message"].items():
                assert said in messages(verdict, made, version)


def test_the_recording_is_of_two_versions_and_both_kinds() -> None:
    pods = [one for case in CASES for one in case["pods"]]
    assert {version for one in pods for version in one["message"]} == {"1.35", "1.37"}
    assert len({bool(one["node"]) for one in pods}) == 2
