"""GPU766: beyond what its page shows."""

from typing import Any

import pytest

from tests.lint.sets import base, codes, lint

SPOT = {"nodeSelector": {"karpenter.sh/capacity-type": "spot"}}


def job(**fields: Any) -> list[str]:
    fields = {"backoffLimit": 0, "podFailurePolicy": None, "template": {"spec": SPOT}} | fields
    return [code for code in codes(lint(base("job", {"spec": fields}))) if code == "GPU766"]


def jobset(**fields: Any) -> list[str]:
    one = base("jobset", {"spec": fields})
    pods = one["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pods["spec"] |= SPOT
    return [code for code in codes(lint(one)) if code == "GPU766"]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, True),
        ({"backoffLimit": 2}, False),
        ({"backoffLimit": None}, False),
        ({"template": {"spec": {}}}, False),
        ({"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {}}]}}, True),
    ],
)
def test_a_job_that_tries_once(fields: dict[str, Any], found: bool) -> None:
    assert job(**fields) == ["GPU766"] * found


def test_a_jobset_is_started_again_as_a_whole() -> None:
    assert jobset() == ["GPU766"]
    assert jobset(failurePolicy={"maxRestarts": 3}) == []
    assert jobset(failurePolicy={"maxRestarts": 0}) == ["GPU766"]
