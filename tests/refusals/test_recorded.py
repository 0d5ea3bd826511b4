"""What Kubernetes' own tests validate is judged as it would be sent, and the linter knows what is wrong with it."""

import copy
from typing import Any

import pytest

from tests.control_plane import binaries
from tests.refusals.conftest import Judge
from tests.refusals.contest.table import lines
from tests.refusals.contest.tally import Tally
from tests.refusals.contest.tested import judged, objects
from tests.refusals.recorded import as_sent, objects_file

EACH = 10
"""Each tenth of them is enough to see that nothing got worse."""
LEAST = 4000
FOUND, ALARMS = 0.99, 0
"""Of what the judge refuses, how much the linter says at least; of what it takes, how many objects the
linter says are refused, at most."""

JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train"},
    "spec": {
        "selector": {
            "matchLabels": {"batch.kubernetes.io/controller-uid": "1", "job-name": "train"}
        },
        "template": {
            "metadata": {
                "labels": {"batch.kubernetes.io/controller-uid": "1", "job-name": "train", "a": "b"}
            }
        },
    },
}


def test_what_a_server_makes_for_a_job_is_not_sent() -> None:
    before = copy.deepcopy(JOB)
    spec = as_sent(JOB)["spec"]
    assert "selector" not in spec
    assert spec["template"]["metadata"]["labels"] == {"a": "b"}
    assert before == JOB


def test_what_somebody_selects_is_sent() -> None:
    own = {**JOB, "spec": {**JOB["spec"], "selector": {"matchLabels": {"a": "b"}}}}
    by_hand = {**JOB, "spec": {**JOB["spec"], "manualSelector": True}}
    assert as_sent(own) == own
    assert as_sent(by_hand) == by_hand


@pytest.mark.binaries
def test_the_linter_knows_what_kubernetes_tests_refuse(judge: Judge) -> None:
    try:
        objects_file()
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    assert len(objects()) > LEAST
    tally = Tally()
    for outcome in judged(range(0, len(objects()), EACH)):
        tally.add(outcome)
    data = tally.as_data(None, 20)
    total, text = data["kinds"]["all"], "\n".join(lines(data))
    assert min(total["refused"], total["taken"]) > 100, text
    assert total["found"] >= FOUND * total["refused"], text
    assert total["alarming"] <= ALARMS, text
