"""What kube-scheduler itself said of pods with claims, recorded from its versions.

`recorded.jsonl` is written by `python -m tests.control_plane.claims_agreement --record`, a fleet to
a line; the same is asked of the running scheduler, about many more, by `make agreement`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuspec.cluster.live import live_fleet
from tests.control_plane.claims_agreement import judged, same
from tests.control_plane.device_claims import Asking

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("recorded.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_we_say_what_the_scheduler_said(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    path.write_text(json.dumps(case["live"]))
    snapshot = live_fleet(str(path)).snapshot
    for one in case["pods"]:
        asking = Asking(one["pod"], one["claims"])
        ours = judged("", asking, case["live"], snapshot, case["version"])
        if one["node"]:
            assert one["node"] in {snapshot.nodes[index].name for index in ours.verdict.nodes}
        else:
            assert same(ours.told, one["message"]), (ours.told, one["message"])


def test_the_recording_is_of_two_versions_and_both_kinds() -> None:
    assert {case["version"] for case in CASES} == {"1.35", "1.37"}
    assert len({bool(one["node"]) for case in CASES for one in case["pods"]}) == 2
