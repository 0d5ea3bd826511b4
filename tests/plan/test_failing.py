"""What follows on a failure: retries, exit codes, and what is lost without a checkpoint."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make


def rules(made: Made) -> dict[str, list[int]]:
    """The exit codes by what follows on them."""
    found = made.job["podFailurePolicy"]["rules"]
    return {one["action"]: one["onExitCodes"]["values"] for one in found if "onExitCodes" in one}


@pytest.mark.parametrize(
    ("retries", "ending"),
    [
        ({}, [126, 127]),
        ({"onExitCode": {42: "fail-run"}}, [42, 126, 127]),
        ({"onExitCode": {127: "retry"}}, [126]),
        ({"failOnExitCodes": [3], "onExitCode": {42: "fail-run"}}, [3, 42]),
        ({"failOnExitCodes": [3], "onExitCode": {3: "retry"}}, None),
    ],
)
def test_one_exit_code_is_changed_and_the_others_stay(
    make: Make, retries: dict[str, Any], ending: list[int] | None
) -> None:
    assert rules(make("Training", retries=retries)).get("FailJob") == ending
    assert rules(make("BatchInference", **retries)).get("FailJob") == ending


def test_a_jobset_ends_by_the_same_codes(make: Make, words: ModuleType) -> None:
    here = words.cluster(words.pool(), installed={"jobset": "0.12"})
    made = make("Training", here, target="jobset", retries={"onExitCode": {42: "fail-run"}})
    (job,) = made.one("JobSet")["spec"]["replicatedJobs"]
    found = job["template"]["spec"]["podFailurePolicy"]["rules"][-1]
    assert (found["action"], found["onExitCodes"]["values"]) == ("FailJob", [42, 126, 127])


def test_a_shard_that_can_never_succeed_does_not_end_the_others(make: Make) -> None:
    made = make(
        "BatchInference",
        shards={"count": 16, "maxFailed": 3},
        onExitCode={65: "fail-shard", 126: "fail-shard"},
    )
    assert rules(made) == {"FailJob": [127], "FailIndex": [65, 126]}
    assert made.job["maxFailedIndexes"] == 3
    assert "or of its shard alone" in made.reason("spec.podFailurePolicy")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, "at most 4 attempts: each retry is a new pod"),
        ({"retries": {"limit": 0}}, "at most 1 attempt"),
        ({"workers": 2}, "3 retries × 2 workers: when one fails, all do"),
    ],
)
def test_what_a_limit_counts_is_explained(make: Make, spec: dict[str, Any], said: str) -> None:
    assert said in make("Training", **spec).reason("spec.backoffLimit")


LOST = "no checkpoint: an interruption or a failure loses the whole run"


@pytest.mark.parametrize("kind", ["Training", "FineTune"])
@pytest.mark.parametrize(
    ("spec", "lost"),
    [
        ({}, True),
        ({"duration": {"expected": "3h"}}, True),
        ({"duration": {"expected": "40m", "max": "3h"}}, False),
        ({"duration": {"max": "10m"}}, False),
        ({"checkpoint": {"pvc": "kept", "every": "30m"}}, False),
        ({"capacity": "spot"}, False),
    ],
)
def test_a_long_run_without_a_checkpoint_is_said_once(
    make: Make, kind: str, spec: dict[str, Any], lost: bool
) -> None:
    said = make(kind, **{"duration": {}, **spec}).loud()
    assert said.count(LOST) == lost
    assert said.count("`duration.expected`") == (lost and not spec)
    assert said.count("loses the whole run") == (lost or "capacity" in spec)
