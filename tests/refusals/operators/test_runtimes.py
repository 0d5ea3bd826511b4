"""Trainer's webhook, asked about TrainJobs after the runtime that they name."""

import copy

import pytest

from gpuspec.manifests import parse_path
from tests.lint.test_runtime_refuses import FAULTS, JOB, OTHERS, PATCHES, RUNTIME, called, of
from tests.refusals.contest.trees import put
from tests.refusals.operators.conftest import Judge


@pytest.mark.binaries
def test_trainer_says_so_too(judge: Judge) -> None:
    jobs = [put(copy.deepcopy(JOB), parse_path(where), value) for where, value, *_ in FAULTS]
    for job, by in ((JOB, ""), *((job, "webhook") for job in jobs)):
        assert [one.by for one in judge([called(RUNTIME, job), job])] == ["", by]
    for where, value, *_ in PATCHES:
        # What is made of it is refused later, by the API server.
        job = put(copy.deepcopy(JOB), parse_path(where), value)
        assert [one.by for one in judge([RUNTIME, job])] == ["", ""]
    for policy, variable in OTHERS:
        job, other = of(policy, variable)
        assert [one.by for one in judge([other, job])] == ["", "webhook"]
        assert [one.by for one in judge([RUNTIME, job])] == ["", ""]
